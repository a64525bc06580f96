// Calls the five operations by the Go client of openapi-generator.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"
	"time"

	api "example.com/generated"
)

type demo struct {
	Keys         map[string]string
	Organization struct{ Id, Name string }
	Daemons      []struct{ Id string }
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	var d demo
	text, err := os.ReadFile(os.Getenv("DEMO"))
	check(err)
	check(json.Unmarshal(text, &d))
	configuration := api.NewConfiguration()
	configuration.Servers = api.ServerConfigurations{{URL: os.Getenv("SERVICE")}}
	client := api.NewAPIClient(configuration)
	as := func(key string) context.Context {
		return context.WithValue(context.Background(), api.ContextAccessToken, d.Keys[key])
	}

	listed, _, err := client.CredentialsAPI.GetAllCredentials(as("owner")).Limit(100).Execute()
	check(err)
	for _, credential := range listed.GetData() {
		text, err := json.Marshal(credential)
		check(err)
		var update api.CredentialInput
		check(json.Unmarshal(text, &update))
		_, _, err = client.CredentialsAPI.UpdateCredential(as("owner"), credential.Id).CredentialInput(update).Execute()
		check(err)
	}
	rename := func(key string, body api.OrganizationRename) error {
		_, _, err := client.OrganizationsAPI.UpdateOrgName(as(key), d.Organization.Id).OrganizationRename(body).Execute()
		return err
	}
	check(rename("owner", api.OrganizationRename{String: &d.Organization.Name}))
	check(rename("owner", api.OrganizationRename{OrganizationName: api.NewOrganizationName(d.Organization.Name)}))
	_, _, err = client.DaemonsAPI.RetryDaemonConnection(as("owner"), d.Daemons[0].Id).Execute()
	check(err)
	_, _, err = client.BindingsAPI.ListBindings(as("owner")).At(time.Now()).Execute()
	check(err)

	var refused *api.GenericOpenAPIError
	if !errors.As(rename("viewer", api.OrganizationRename{String: &d.Organization.Name}), &refused) {
		log.Fatal("a viewer may rename")
	}
	if union, ok := refused.Model().(api.UpdateOrgNameForbidden); !ok || union.AuthPermissionDeniedError == nil {
		log.Fatalf("the refusal is a %T", refused.Model())
	}
}
