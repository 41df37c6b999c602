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
	var refused *client.GenericOpenAPIError
	if !errors.As(err, &refused) {
		fail(err)
	}
	problem, is := refused.Model().(client.Problem)
	if !is {
		fail(err)
	}
	fmt.Println("refused", problem.Status, problem.Code)

	large, _, err := as(exact).ResellersAPI.AddCredits(ctx, "1099511627776").Recharge(*client.NewRecharge(999999999.9999)).Execute()
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

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
