// Calls the five operations by the client of oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"time"

	api "example.com/generated"
	"github.com/google/uuid"
)

type demo struct {
	Keys         map[string]string
	Organization struct {
		Id   uuid.UUID
		Name string
	}
	Daemons []struct{ Id uuid.UUID }
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func expect(status, expected int) {
	if status != expected {
		log.Fatalf("%d instead of %d", status, expected)
	}
}

func main() {
	var d demo
	text, err := os.ReadFile(os.Getenv("DEMO"))
	check(err)
	check(json.Unmarshal(text, &d))
	ctx := context.Background()
	as := func(key string) *api.ClientWithResponses {
		client, err := api.NewClientWithResponses(os.Getenv("SERVICE"), api.WithRequestEditorFn(
			func(_ context.Context, request *http.Request) error {
				request.Header.Set("Authorization", "Bearer "+d.Keys[key])
				return nil
			}))
		check(err)
		return client
	}
	owner := as("owner")

	listed, err := owner.GetAllCredentialsWithResponse(ctx, &api.GetAllCredentialsParams{})
	check(err)
	for _, credential := range listed.JSON200.Data {
		_, err := credential.CredentialType.ValueByDiscriminator()
		check(err)
		text, err := json.Marshal(credential)
		check(err)
		var update api.CredentialInput
		check(json.Unmarshal(text, &update))
		updated, err := owner.UpdateCredentialWithResponse(ctx, credential.Id, update)
		check(err)
		expect(updated.StatusCode(), 200)
	}
	var rename api.OrganizationRename
	check(rename.FromOrganizationRename0(d.Organization.Name))
	renamed, err := owner.UpdateOrgNameWithResponse(ctx, d.Organization.Id, rename)
	check(err)
	expect(renamed.StatusCode(), 200)
	retried, err := owner.RetryDaemonConnectionWithResponse(ctx, d.Daemons[0].Id)
	check(err)
	expect(retried.StatusCode(), 200)
	now := time.Now()
	bindings, err := owner.ListBindingsWithResponse(ctx, &api.ListBindingsParams{At: &now})
	check(err)
	expect(bindings.StatusCode(), 200)

	denied, err := as("viewer").UpdateOrgNameWithResponse(ctx, d.Organization.Id, rename)
	check(err)
	expect(denied.StatusCode(), 403)
	value, err := denied.JSON403.ValueByDiscriminator()
	check(err)
	if _, ok := value.(api.AuthPermissionDeniedError); !ok {
		log.Fatalf("the refusal is a %T", value)
	}
}
