// The life of a line through the client of oapi-codegen, and what it reads of large numbers.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"

	"resellerd/test/clients/client"
)

func main() {
	base, exact, name, password := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	ctx := context.Background()

	nobody := as(base, "")
	login, err := nobody.IssueTokenWithResponse(ctx, client.Login{Username: "admin", Password: password})
	must(err)
	admin := as(base, login.JSON200.Token)
	fmt.Println("login", login.JSON200.Status)

	reseller, err := admin.CreateResellerWithResponse(ctx, nil, client.ResellerCreation{
		Username: name, Password: "s3cret-word", IsMaster: 0, Credits: "2", Country: "BR",
	})
	must(err)
	id := strconv.FormatInt(reseller.JSON201.Id, 10)
	fmt.Println("reseller", reseller.JSON201.Credits)

	topUp, err := admin.AddCreditsWithResponse(ctx, id, nil, client.Recharge{Credits: 1.5})
	must(err)
	fmt.Println("top-up", topUp.JSON200.Credits)

	login, err = nobody.IssueTokenWithResponse(ctx, client.Login{Username: name, Password: "s3cret-word"})
	must(err)
	own := as(base, login.JSON200.Token)
	trial, err := own.CreateTrialWithResponse(ctx, nil, client.TrialCreation{})
	must(err)
	line := strconv.FormatInt(trial.JSON201.Id, 10)
	fmt.Println("trial", trial.JSON201.IsTrial, trial.JSON201.IdPlatform.IsNull())

	official, err := own.ActivateLineWithResponse(ctx, line, nil, client.Activation{
		Username: trial.JSON201.Username, Password: trial.JSON201.Password.MustGet(), Credits: new(1.0), Country: "BR",
	})
	must(err)
	fmt.Println("activated", official.JSON201.IsTrial)

	key := name + "-extension"
	first, err := own.ExtendLineWithResponse(ctx, line, &client.ExtendLineParams{IdempotencyKey: &key},
		client.Extension{Credits: new(2.0)})
	must(err)
	again, err := own.ExtendLineWithResponse(ctx, line, &client.ExtendLineParams{IdempotencyKey: &key},
		client.Extension{Credits: new(2.0)})
	must(err)
	fmt.Println("extended", first.HTTPResponse.Header.Get("Idempotency-Replayed") == "true",
		again.HTTPResponse.Header.Get("Idempotency-Replayed") == "true", first.JSON200.ExpDate.Equal(again.JSON200.ExpDate))

	unpaid, err := own.ExtendLineWithResponse(ctx, line, nil, client.Extension{Credits: new(2.0)})
	must(err)
	problem := unpaid.ApplicationproblemJSON402
	fmt.Println("refused", problem.Status, problem.Code, *problem.Shortfall)

	statement, err := own.GetStatementWithResponse(ctx, id, nil)
	must(err)
	fmt.Print("statement")
	for _, entry := range statement.JSON200.Data {
		fmt.Print(" ", entry.Kind, "=", entry.Amount)
	}
	fmt.Println()

	deleted, err := own.DeleteLineWithResponse(ctx, line, nil)
	must(err)
	fmt.Println("deleted", deleted.JSON200.Status)
	gone, err := own.GetLineWithResponse(ctx, line)
	must(err)
	fmt.Println("refused", gone.ApplicationproblemJSON404.Status, gone.ApplicationproblemJSON404.Code)

	newer, err := as(exact, "").AddCreditsWithResponse(ctx, "7", nil, client.Recharge{Credits: 1})
	must(err)
	fmt.Println("later", newer.ApplicationproblemJSON409.Status, newer.ApplicationproblemJSON409.Code,
		*newer.ApplicationproblemJSON409.RequiredScope)

	large, err := as(exact, "").AddCreditsWithResponse(ctx, "1099511627776", nil, client.Recharge{Credits: 999999999.9999})
	must(err)
	fmt.Println("exact", large.JSON200.Id, strconv.FormatFloat(large.JSON200.Credits, 'f', -1, 64))
}

func as(base, token string) *client.ClientWithResponses {
	c, err := client.NewClientWithResponses(base,
		client.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			if token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
			return nil
		}))
	must(err)
	return c
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
