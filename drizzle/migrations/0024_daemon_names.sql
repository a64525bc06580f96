-- A daemon's name is as long as every other name (API contract, section 7).
ALTER TABLE "daemons" DROP CONSTRAINT "daemons_name_check";--> statement-breakpoint
update daemons set name = rtrim(left(name, 100)) where char_length(name) > 100;
--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_name_check" CHECK (char_length("daemons"."name") between 1 and 100);
