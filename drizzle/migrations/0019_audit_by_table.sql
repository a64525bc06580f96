-- Their place has app.audit_changed. The triggers that called the function go with it, and others are made.
drop function if exists app.audit_change() cascade;
--> statement-breakpoint
drop procedure if exists app.audit_table(regclass, text, text[]);
