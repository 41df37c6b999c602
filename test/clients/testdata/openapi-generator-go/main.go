// What the client of openapi-generator's go reads of large numbers, and of a refusal.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"resellerd/test/clients/client"
)

func main() {
	base, exact := os.Args[1], os.Args[2]
	ctx := context.Background()
	_, _, err := as(base).TokensAPI.IssueToken(ctx).Login(*client.NewLogin("admin", "wrong")).Execute()
	problem := refusal(err)
	fmt.Println("refused", problem.Status, problem.Code)

	_, _, err = as(exact).ResellersAPI.AddCredits(ctx, "7").Recharge(*client.NewRecharge(1)).Execute()
	problem = refusal(err)
	fmt.Println("later", problem.Status, problem.Code, problem.GetRequiredScope())

	large, _, err := as(exact).ResellersAPI.AddCredits(ctx, "1099511627776").Recharge(*client.NewRecharge(999999999.9999)).
		Execute()
	if err != nil {
		fail(err)
	}
	fmt.Println("exact", large.Id, strconv.FormatFloat(large.Credits, 'f', -1, 64))
}

func as(base string) *client.APIClient {
	c := client.NewConfiguration()
	c.Servers = client.ServerConfigurations{{URL: base}}
	return client.NewAPIClient(c)
}

func refusal(err error) client.Problem {
	var refused *client.GenericOpenAPIError
	if !errors.As(err, &refused) {
		fail(err)
	}
	problem, is := refused.Model().(client.Problem)
	if !is {
		fail(err)
	}
	return problem
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
