// What the client of openapi-generator's typescript-fetch reads of large numbers, and of a refusal.
import { Configuration, ProblemFromJSON, ResellersApi, ResponseError, TokensApi } from "./client";

const [base, exact] = process.argv.slice(2);

async function refusal(answer: Promise<unknown>) {
  const refused = await answer.catch((err) => err);
  if (!(refused instanceof ResponseError)) throw refused;
  return ProblemFromJSON(await refused.response.json());
}

async function main() {
  const tokens = new TokensApi(new Configuration({ basePath: base }));
  const refused = await refusal(tokens.issueToken({ login: { username: "admin", password: "wrong" } }));
  console.log("refused", refused.status, refused.code);
  const resellers = new ResellersApi(new Configuration({ basePath: exact }));
  const later = await refusal(resellers.addCredits({ id: "7", recharge: { credits: 1 } }));
  console.log("later", later.status, later.code, later.requiredScope);
  const large = await resellers.addCredits({ id: "1099511627776", recharge: { credits: 999999999.9999 } });
  console.log("exact", large.id, large.credits);
}

main().catch((err) => {
  console.error(err);
  process.exit(1);
});
