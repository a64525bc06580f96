-- For each statement that writes to a table, Postgres reads the expressions of all its checks anew: those of organizations
-- took a sixth of the time in which one is renamed. Whether JSON holds a plan with its prices and what it includes, and
-- nothing else (API contract, section 5).
create function app.is_plan(plan jsonb) returns boolean
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return case jsonb_typeof(plan) when 'object' then coalesce(
    plan ->> 'type' = any ('{Community,Free,Starter,Pro,Team,Business,Enterprise,Demo,CommercialSelfHosted}'::text[])
    and plan ->> 'rate' in ('Month', 'Year')
    and jsonb_typeof(plan -> 'trial_days') = 'number'
    and jsonb_typeof(plan -> 'base_cents') in ('number', 'null')
    and jsonb_typeof(plan -> 'seat_cents') in ('number', 'null')
    and jsonb_typeof(plan -> 'network_cents') in ('number', 'null')
    and jsonb_typeof(plan -> 'host_cents') in ('number', 'null')
    and jsonb_typeof(plan -> 'included_seats') in ('number', 'null')
    and jsonb_typeof(plan -> 'included_networks') in ('number', 'null')
    and jsonb_typeof(plan -> 'included_hosts') in ('number', 'null')
    and plan - '{type,rate,trial_days,base_cents,seat_cents,network_cents,host_cents}'::text[]
      - '{included_seats,included_networks,included_hosts}'::text[] = '{}',
    false) else false end;
end
$$;
--> statement-breakpoint
grant execute on function app.is_plan(jsonb) to inventory_api;
--> statement-breakpoint
ALTER TABLE "daemon_secrets" DROP CONSTRAINT "daemon_secrets_field_check";--> statement-breakpoint
ALTER TABLE "audit_entries" DROP CONSTRAINT "audit_entries_action_check";--> statement-breakpoint
ALTER TABLE "audit_entries" DROP CONSTRAINT "audit_entries_entity_check";--> statement-breakpoint
ALTER TABLE "audit_entries" DROP CONSTRAINT "audit_entries_actor_type_check";--> statement-breakpoint
ALTER TABLE "bindings" DROP CONSTRAINT "bindings_type_check";--> statement-breakpoint
ALTER TABLE "daemons" DROP CONSTRAINT "daemons_last_error_check";--> statement-breakpoint
ALTER TABLE "discovery_sessions" DROP CONSTRAINT "discovery_sessions_phase_check";--> statement-breakpoint
ALTER TABLE "discovery_sessions" DROP CONSTRAINT "discovery_sessions_started_check";--> statement-breakpoint
ALTER TABLE "discovery_sessions" DROP CONSTRAINT "discovery_sessions_moved_check";--> statement-breakpoint
ALTER TABLE "discovery_sessions" DROP CONSTRAINT "discovery_sessions_finished_check";--> statement-breakpoint
ALTER TABLE "hosts" DROP CONSTRAINT "hosts_source_check";--> statement-breakpoint
ALTER TABLE "interfaces" DROP CONSTRAINT "interfaces_admin_status_check";--> statement-breakpoint
ALTER TABLE "interfaces" DROP CONSTRAINT "interfaces_oper_status_check";--> statement-breakpoint
ALTER TABLE "organizations" DROP CONSTRAINT "organizations_onboarding_check";--> statement-breakpoint
ALTER TABLE "organizations" DROP CONSTRAINT "organizations_plan_check";--> statement-breakpoint
ALTER TABLE "organizations" DROP CONSTRAINT "organizations_downgrade_check";--> statement-breakpoint
ALTER TABLE "organizations" DROP CONSTRAINT "organizations_plan_status_check";--> statement-breakpoint
ALTER TABLE "organizations" DROP CONSTRAINT "organizations_use_case_check";--> statement-breakpoint
ALTER TABLE "ports" DROP CONSTRAINT "ports_protocol_check";--> statement-breakpoint
ALTER TABLE "services" DROP CONSTRAINT "services_source_check";--> statement-breakpoint
ALTER TABLE "subnets" DROP CONSTRAINT "subnets_type_check";--> statement-breakpoint
ALTER TABLE "subnets" DROP CONSTRAINT "subnets_source_check";--> statement-breakpoint
ALTER TABLE "tags" DROP CONSTRAINT "tags_color_check";--> statement-breakpoint
ALTER TABLE "transactions" DROP CONSTRAINT "transactions_actor_type_check";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" DROP CONSTRAINT "webhook_deliveries_state_check";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" DROP CONSTRAINT "webhook_deliveries_error_check";--> statement-breakpoint
ALTER TABLE "webhooks" DROP CONSTRAINT "webhooks_entities_check";--> statement-breakpoint
ALTER TABLE "webhooks" DROP CONSTRAINT "webhooks_changes_check";--> statement-breakpoint
ALTER TABLE "webhooks" DROP CONSTRAINT "webhooks_disabled_reason_check";--> statement-breakpoint
ALTER TABLE "webhooks" DROP CONSTRAINT "webhooks_last_error_check";--> statement-breakpoint
ALTER TABLE "daemon_secrets" ADD CONSTRAINT "daemon_secrets_field_check" CHECK ("daemon_secrets"."field" = any ('{token}'::text[]));--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_action_check" CHECK ("audit_entries"."action" = any ('{created,updated,deleted,rotated,assigned,unassigned}'::text[]));--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_entity_check" CHECK ("audit_entries"."entity" = any ('{ApiKey,Credential,Daemon,Network,Organization,Tag,Webhook}'::text[]));--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_actor_type_check" CHECK ("audit_entries"."actor_type" = any ('{key,daemon,import,system}'::text[]));--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_type_check" CHECK ("bindings"."type" = any ('{Port,IPAddress}'::text[]));--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_last_error_check" CHECK ("daemons"."last_error" = any ('{dns_failed,connection_refused,timed_out,tls_failed,http_status,not_json,wrong_shape,too_large,redirected,url_forbidden,url_not_encrypted,token_unreadable}'::text[]));--> statement-breakpoint
ALTER TABLE "discovery_sessions" ADD CONSTRAINT "discovery_sessions_phase_check" CHECK ("discovery_sessions"."phase" = any ('{Queued,Pending,Starting,Started,Scanning,Complete,Failed,Cancelled}'::text[]));--> statement-breakpoint
ALTER TABLE "discovery_sessions" ADD CONSTRAINT "discovery_sessions_started_check" CHECK (("discovery_sessions"."started_at" is not null) or not "discovery_sessions"."phase" = any ('{Pending,Starting,Started,Scanning,Complete}'::text[]));--> statement-breakpoint
ALTER TABLE "discovery_sessions" ADD CONSTRAINT "discovery_sessions_moved_check" CHECK (("discovery_sessions"."moved_at" is not null) or not "discovery_sessions"."phase" = any ('{Pending,Starting,Started,Scanning}'::text[]));--> statement-breakpoint
ALTER TABLE "discovery_sessions" ADD CONSTRAINT "discovery_sessions_finished_check" CHECK (("discovery_sessions"."finished_at" is not null) = ("discovery_sessions"."phase" = any ('{Complete,Failed,Cancelled}'::text[])));--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_source_check" CHECK ("hosts"."source" = any ('{Manual,System,Discovery,Import}'::text[]));--> statement-breakpoint
ALTER TABLE "interfaces" ADD CONSTRAINT "interfaces_admin_status_check" CHECK ("interfaces"."admin_status" = any ('{Up,Down,Testing}'::text[]));--> statement-breakpoint
ALTER TABLE "interfaces" ADD CONSTRAINT "interfaces_oper_status_check" CHECK ("interfaces"."oper_status" = any ('{Up,Down,Testing,Unknown,Dormant,NotPresent,LowerLayerDown}'::text[]));--> statement-breakpoint
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_onboarding_check" CHECK ("organizations"."onboarding" <@ '{OrgCreated,OnboardingModalCompleted,PlanSelected,FirstDaemonRegistered,FirstTopologyRebuild,FirstDiscoveryCompleted,FirstHostDiscovered,SecondNetworkCreated,FirstTagCreated,FirstDependencyCreated,FirstUserApiKeyCreated,FirstSnmpCredentialCreated,FirstCredentialCreated,FirstSnapshotCreated,InviteSent,InviteAccepted,ProfileCompleted,ReferralSourceCompleted}'::text[]);--> statement-breakpoint
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_plan_check" CHECK (app.is_plan("organizations"."plan"));--> statement-breakpoint
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_downgrade_check" CHECK (app.is_plan("organizations"."last_downgrade_from_plan"));--> statement-breakpoint
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_plan_status_check" CHECK ("organizations"."plan_status" = any ('{active,trialing,past_due,paused,pending_cancellation,cancelled}'::text[]));--> statement-breakpoint
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_use_case_check" CHECK ("organizations"."use_case" = any ('{homelab,internal_it,msp,other}'::text[]));--> statement-breakpoint
ALTER TABLE "ports" ADD CONSTRAINT "ports_protocol_check" CHECK ("ports"."protocol" = any ('{Tcp,Udp}'::text[]));--> statement-breakpoint
ALTER TABLE "services" ADD CONSTRAINT "services_source_check" CHECK ("services"."source" = any ('{Manual,System,Discovery,Import}'::text[]));--> statement-breakpoint
ALTER TABLE "subnets" ADD CONSTRAINT "subnets_type_check" CHECK ("subnets"."subnet_type" = any ('{Internet,Remote,Gateway,VpnTunnel,Dmz,Lan,WiFi,IoT,Guest,DockerBridge,MacVlan,IpVlan,Management,Storage,Loopback,Unknown}'::text[]));--> statement-breakpoint
ALTER TABLE "subnets" ADD CONSTRAINT "subnets_source_check" CHECK ("subnets"."source" = any ('{Manual,System,Discovery,Import}'::text[]));--> statement-breakpoint
ALTER TABLE "tags" ADD CONSTRAINT "tags_color_check" CHECK ("tags"."color" = any ('{Pink,Rose,Red,Amber,Orange,Green,Emerald,Teal,Cyan,Blue,Indigo,Purple,Fuchsia,Violet,Sky,Gray,Lime,Yellow}'::text[]));--> statement-breakpoint
ALTER TABLE "transactions" ADD CONSTRAINT "transactions_actor_type_check" CHECK ("transactions"."actor_type" = any ('{key,daemon,import,system}'::text[]));--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_state_check" CHECK ("webhook_deliveries"."state" = any ('{retrying,delivered,failed}'::text[]));--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_error_check" CHECK ("webhook_deliveries"."error" = any ('{dns_failed,connection_refused,timed_out,tls_failed,http_status,redirected,url_forbidden,url_not_encrypted,secret_unreadable,history_expired}'::text[]));--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_entities_check" CHECK ("webhooks"."entities" <@ '{Binding,Host,IPAddress,Interface,Port,Service,Subnet}'::text[]);--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_changes_check" CHECK ("webhooks"."changes" <@ '{created,updated,deleted,returned}'::text[]);--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_disabled_reason_check" CHECK ("webhooks"."disabled_reason" = any ('{requested,failing,gone}'::text[]));--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_last_error_check" CHECK ("webhooks"."last_error" = any ('{dns_failed,connection_refused,timed_out,tls_failed,http_status,redirected,url_forbidden,url_not_encrypted,secret_unreadable,history_expired}'::text[]));