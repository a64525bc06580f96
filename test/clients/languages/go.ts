import demo from "../../../drizzle/demo.json" with { type: "json" };
import { type Kind, kinds, pascalCase } from "../records.ts";

/**
 * Programs for generated Go clients, which import the client as `example.com/generated`. Each
 * creates, reads, lists, updates and deletes a record of every kind.
 */

const start = (standard: string, foreign = "") => `package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"strings"
	${standard}

	api "example.com/generated"
	${foreign}
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func expect(status, expected int, body []byte) {
	if status != expected {
		log.Fatalf("%d instead of %d: %s", status, expected, body)
	}
}

// recode converts one of the client's types to another.
func recode[T any](value any) T {
	var result T
	text, err := json.Marshal(value)
	check(err)
	check(json.Unmarshal(text, &result))
	return result
}

// idOf returns the id of any record; a union type has no fields of its own.
func idOf[Id any](record any) Id {
	return recode[struct {
		Id Id \`json:"id"\`
	}](record).Id
}

func expectListed(list any, id any) {
	items, err := json.Marshal(list)
	check(err)
	text, err := json.Marshal(id)
	check(err)
	if !strings.Contains(string(items), string(text)) {
		log.Fatalf("%s is not listed", text)
	}
}

func main() {
	service := os.Getenv("SERVICE")
`;

const part = ({ within }: Kind) => (within === null ? "" : `.${pascalCase(within)}`);
const example = (kind: Kind) => `json.RawMessage(${JSON.stringify(JSON.stringify(kind.example))})`;

export const openapiGenerator = () => `${start('"errors"')}
	configuration := api.NewConfiguration()
	configuration.Servers = api.ServerConfigurations{{URL: service}}
	client := api.NewAPIClient(configuration)
	as := func(key string) context.Context {
		return context.WithValue(context.Background(), api.ContextAccessToken, key)
	}
	owner := as("${demo.keys.owner}")
${kinds
  .map((kind) => {
    const group = `client.${pascalCase(kind.tag)}API`;
    const call = ({ operationId }: { operationId: string }) =>
      `${group}.${pascalCase(operationId)}`;
    return `	{
		created, _, err := ${call(kind.create)}(owner).${kind.create.body}(recode[api.${kind.create.body}](${example(kind)})).Execute()
		check(err)
		id := idOf[string](created.Data${part(kind)})
		read, _, err := ${call(kind.read)}(owner, id).Execute()
		check(err)
		listed, _, err := ${call(kind.list)}(owner).Limit(1000).Execute()
		check(err)
		expectListed(listed.Data, id)
		_, _, err = ${call(kind.update)}(owner, id).${kind.update.body}(recode[api.${kind.update.body}](read.Data)).Execute()
		check(err)
		_, _, err = ${call(kind.delete)}(owner, id).Execute()
		check(err)
	}`;
  })
  .join("\n")}
	name := "Acme"
	_, _, err := client.OrganizationsAPI.UpdateOrgName(as("${demo.keys.viewer}"), "${demo.organization.id}").
		OrganizationRename(api.OrganizationRename{String: &name}).Execute()
	var refused *api.GenericOpenAPIError
	if !errors.As(err, &refused) {
		log.Fatal("a viewer may rename")
	}
	if union, ok := refused.Model().(api.OrganizationSuspendedOrAuthPermissionDeniedOrAuthScopeDeniedError); !ok || union.AuthPermissionDeniedError == nil {
		log.Fatalf("the refusal is a %T", refused.Model())
	}
}
`;

export const oapiCodegen = () => `${start('"net/http"', '"github.com/google/uuid"')}
	ctx := context.Background()
	as := func(key string) *api.ClientWithResponses {
		client, err := api.NewClientWithResponses(service, api.WithRequestEditorFn(
			func(_ context.Context, request *http.Request) error {
				request.Header.Set("Authorization", "Bearer "+key)
				return nil
			}))
		check(err)
		return client
	}
	owner := as("${demo.keys.owner}")
	limit := int32(1000)
${kinds
  .map((kind) => {
    const call = ({ operationId }: { operationId: string }) =>
      `owner.${pascalCase(operationId)}WithResponse`;
    const none = ({ hasOptions, operationId }: Kind["read"]) =>
      hasOptions ? `, &api.${pascalCase(operationId)}Params{}` : "";
    return `	{
		created, err := ${call(kind.create)}(ctx${none(kind.create)}, recode[api.${kind.create.body}](${example(kind)}))
		check(err)
		expect(created.StatusCode(), 201, created.Body)
		id := idOf[uuid.UUID](created.JSON201.Data${part(kind)})
		read, err := ${call(kind.read)}(ctx, id${none(kind.read)})
		check(err)
		expect(read.StatusCode(), 200, read.Body)
		listed, err := ${call(kind.list)}(ctx, &api.${pascalCase(kind.list.operationId)}Params{Limit: &limit})
		check(err)
		expectListed(listed.JSON200.Data, id)
		updated, err := ${call(kind.update)}(ctx, id${none(kind.update)}, recode[api.${kind.update.body}](read.JSON200.Data))
		check(err)
		expect(updated.StatusCode(), 200, updated.Body)
		deleted, err := ${call(kind.delete)}(ctx, id${none(kind.delete)})
		check(err)
		expect(deleted.StatusCode(), 200, deleted.Body)
	}`;
  })
  .join("\n")}
	denied, err := as("${demo.keys.viewer}").UpdateOrgNameWithResponse(ctx,
		uuid.MustParse("${demo.organization.id}"), &api.UpdateOrgNameParams{}, recode[api.OrganizationRename]("Acme"))
	check(err)
	expect(denied.StatusCode(), 403, denied.Body)
	refusal, err := denied.JSON403.ValueByDiscriminator()
	check(err)
	if _, ok := refusal.(api.AuthPermissionDeniedError); !ok {
		log.Fatalf("the refusal is a %T", refusal)
	}
}
`;
