-- What a poll observes of a daemon is no change that somebody has made: like the use of an API key, it
-- leaves the revision as it is. Entity tags tell it apart all the same (recordsOf).
drop trigger revise on daemons;
--> statement-breakpoint
drop function app.revise();
