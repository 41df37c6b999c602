// Changes and clears members through the client of openapi-generator's typescript-fetch.
import { Configuration, KeysApi, LinesApi, ResellersApi, StaffApi, WebhooksApi } from "./client";

const [base, accessToken, step, ...ids] = process.argv.slice(2);
const change = step === "change";
const as = new Configuration({ basePath: base, accessToken });
const lines = new LinesApi(as);
const resellers = new ResellersApi(as);

async function main() {
  await lines.activateLine({
    id: ids[0],
    activation: {
      username: `line-${ids[0]}`, password: "s3cret-word", credits: 0.5, country: "BR", ...(change ? { whatsapp: "+2" } : { notes: null }),
    },
  });
  await lines.editLine({
    id: ids[1],
    lineEdit: { username: `line-${ids[1]}`, password: "s3cret-word", whatsapp: "+2", country: "BR", ...(change ? {} : { notes: null }) },
  });
  await lines.describeLine({
    id: ids[2],
    lineDescription: change ? { email: "b@example.com" } : { telegram: null, externalId: null, metadata: null },
  });
  await resellers.updateReseller({
    id: ids[3],
    resellerUpdate: {
      username: `account-${ids[3]}`, password: "s3cret-word", country: "BR", whatsapp: "+2", ...(change ? {} : { telegram: null }),
    },
  });
  await resellers.changeContact({ id: ids[4], contactChange: change ? { email: "b@example.com" } : { notes: null } });
  await new KeysApi(as).updateKey({
    id: ids[5],
    accessKeyChange: change ? { name: "b" } : { spendLimit: null, expiresAt: null, allowedAddresses: null },
  });
  await new WebhooksApi(as).updateWebhook({ id: ids[6], webhookChange: change ? { scope: "tree" } : { description: null } });
  await new StaffApi(as).updateStaff({ id: ids[7], memberChange: change ? { scopes: ["lines:write"] } : { spendLimit: null } });
  await resellers.setAlerts({ id: ids[8], alertsChange: { balanceLow: change ? "2" : null } });
}

main().catch((err) => {
  console.error(err);
  process.exit(1);
});
