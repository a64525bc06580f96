-- Labels of bindings are looked up by the queries themselves (app.change_kinds).
drop function if exists app.label_of_binding(uuid, uuid, uuid, timestamptz);
