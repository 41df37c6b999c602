// What the client of openapi-generator's typescript-fetch reads of large numbers, and of a refusal.
import { Configuration, ProblemFromJSON, ResellersApi, ResponseError, TokensApi } from "./client";

const [base, exact] = process.argv.slice(2);

async function main() {
  try {
    await new TokensApi(new Configuration({ basePath: base })).issueToken({ login: { username: "admin", password: "wrong" } });
  } catch (refused) {
    if (!(refused instanceof ResponseError)) throw refused;
    const problem = ProblemFromJSON(await refused.response.json());
    console.log("refused", problem.status, problem.code);
  }
  const resellers = new ResellersApi(new Configuration({ basePath: exact }));
  const large = await resellers.addCredits({ id: "1099511627776", recharge: { credits: 999999999.9999 } });
  console.log("exact", large.id, large.credits);
}

main().catch((err) => {
  console.error(err);
  process.exit(1);
});
