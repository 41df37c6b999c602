// The life of a line through the types of openapi-typescript and openapi-fetch, and what they read of large numbers.
import createClient from "openapi-fetch";
import type { paths } from "./client.js";

const [base, exact, name, password] = process.argv.slice(2);

function as(base: string, token?: string) {
  return createClient<paths>({ baseUrl: base, headers: token ? { Authorization: `Bearer ${token}` } : {} });
}

function must<T>(answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

const nobody = as(base);
const login = must(await nobody.POST("/auth/static-token", { body: { username: "admin", password } }));
const admin = as(base, login.token);
console.log("login", login.status);

const reseller = must(
  await admin.POST("/users", { body: { username: name, password: "s3cret-word", is_master: 0, credits: "2", country: "BR", language: "pt" } }),
);
const account = { params: { path: { id: String(reseller.id) } } };
console.log("reseller", reseller.credits);

const topUp = must(await admin.PATCH("/users/credits/{id}", { ...account, body: { credits: 1.5 } }));
console.log("top-up", topUp.credits);

const own = as(base, must(await nobody.POST("/auth/static-token", { body: { username: name, password: "s3cret-word" } })).token);
const trial = must(await own.POST("/lines/test", { body: {} }));
const id = String(trial.id);
console.log("trial", trial.isTrial, trial.idPlatform === null);

const official = must(
  await own.PATCH("/lines/active/{id}", {
    params: { path: { id } },
    body: { username: trial.username, password: trial.password ?? "", credits: 1, country: "BR" },
  }),
);
console.log("activated", official.isTrial);

const extend = (header?: { "Idempotency-Key": string }) =>
  own.PATCH("/lines/extend/{id}", { params: { path: { id }, header }, body: { credits: 2 } });
const key = { "Idempotency-Key": `${name}-extension` };
const first = await extend(key);
const again = await extend(key);
const replayed = (answer: { response: Response }) => answer.response.headers.get("Idempotency-Replayed") === "true";
console.log("extended", replayed(first), replayed(again), must(first).expDate === must(again).expDate);

const unpaid = (await extend()).error!;
console.log("refused", unpaid.status, unpaid.code, unpaid.shortfall);

const statement = must(await own.GET("/users/{id}/ledger", account));
console.log("statement", ...statement.data.map((entry) => `${entry.kind}=${entry.amount}`));

console.log("deleted", must(await own.DELETE("/lines/{id}", { params: { path: { id } } })).status);
const gone = (await own.GET("/lines/{id}", { params: { path: { id } } })).error!;
console.log("refused", gone.status, gone.code);

const later = (await as(exact).PATCH("/users/credits/{id}", { params: { path: { id: "7" } }, body: { credits: 1 } })).error!;
console.log("later", later.status, later.code, later.required_scope);

const large = must(
  await as(exact).PATCH("/users/credits/{id}", { params: { path: { id: "1099511627776" } }, body: { credits: 999999999.9999 } }),
);
console.log("exact", large.id, large.credits);
