// Changes and clears members through the types of openapi-typescript and openapi-fetch.
import createClient from "openapi-fetch";
import type { paths } from "./client.js";

const [base, token, step, ...ids] = process.argv.slice(2);
const change = step === "change";
const api = createClient<paths>({ baseUrl: base, headers: { Authorization: `Bearer ${token}` } });
const of = (id: string) => ({ path: { id } });

const answers = [
  await api.PATCH("/lines/active/{id}", {
    params: of(ids[0]),
    body: {
      username: `line-${ids[0]}`, password: "s3cret-word", credits: 0.5, country: "BR", ...(change ? { whatsapp: "+2" } : { notes: null }),
    },
  }),
  await api.PATCH("/lines/{id}", {
    params: of(ids[1]),
    body: { username: `line-${ids[1]}`, password: "s3cret-word", whatsapp: "+2", country: "BR", ...(change ? {} : { notes: null }) },
  }),
  await api.PATCH("/lines/{id}/details", {
    params: of(ids[2]),
    body: change ? { email: "b@example.com" } : { telegram: null, external_id: null, metadata: null },
  }),
  await api.PATCH("/users/{id}", {
    params: of(ids[3]),
    body: {
      username: `account-${ids[3]}`, password: "s3cret-word", country: "BR", whatsapp: "+2", ...(change ? {} : { telegram: null }),
    },
  }),
  await api.PATCH("/users/{id}/contact", { params: of(ids[4]), body: change ? { email: "b@example.com" } : { notes: null } }),
  await api.PATCH("/keys/{id}", {
    params: of(ids[5]),
    body: change ? { name: "b" } : { spend_limit: null, expires_at: null, allowed_addresses: null },
  }),
  await api.PATCH("/webhooks/{id}", { params: of(ids[6]), body: change ? { scope: "tree" } : { description: null } }),
  await api.PATCH("/staff/{id}", { params: of(ids[7]), body: change ? { scopes: ["lines:write"] } : { spend_limit: null } }),
  await api.PUT("/users/{id}/alerts", { params: of(ids[8]), body: { balance_low: change ? "2" : null } }),
];
for (const { error } of answers) if (error) throw new Error(JSON.stringify(error));
