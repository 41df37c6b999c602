// Changes and clears members through the client of openapi-generator's java.
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

public class Changes {
    public static void main(String[] arguments) throws Exception {
        ApiClient client = Library.as(arguments[0], arguments[1]);
        List<String> ids = List.of(arguments).subList(3, arguments.length);
        Activation activation = new Activation().username("line-" + ids.get(0)).password("s3cret-word").credits(0.5).country("BR");
        LineEdit edit = new LineEdit().username("line-" + ids.get(1)).password("s3cret-word").whatsapp("+2").country("BR");
        LineDescription line = new LineDescription();
        ResellerUpdate account = new ResellerUpdate().username("account-" + ids.get(3)).password("s3cret-word").whatsapp("+2").country("BR");
        ContactChange contact = new ContactChange();
        AccessKeyChange key = new AccessKeyChange();
        WebhookChange webhook = new WebhookChange();
        MemberChange member = new MemberChange();
        AlertsChange alerts = new AlertsChange();
        boolean change = arguments[2].equals("change");
        if (change) {
            activation.whatsapp("+2");
            line.email("b@example.com");
            contact.email("b@example.com");
            key.name("b");
            webhook.scope(WebhookChange.ScopeEnum.TREE);
            member.scopes(List.of("lines:write"));
            alerts.balanceLow("2");
        } else {
            activation.notes(Library.NOTHING);
            edit.notes(Library.NOTHING);
            line.telegram(Library.NOTHING).externalId(Library.NOTHING).metadata(Map.of());
            account.telegram(Library.NOTHING);
            contact.notes(Library.NOTHING);
            key.spendLimit(null).expiresAt(null).allowedAddresses(List.of());
            webhook.description(Library.NOTHING);
            member.spendLimit(null);
            alerts.balanceLow(null);
        }
        LinesApi lines = new LinesApi(client);
        ResellersApi resellers = new ResellersApi(client);
        lines.activateLine(ids.get(0), activation, null);
        lines.editLine(ids.get(1), edit, null);
        lines.describeLine(ids.get(2), null, line);
        resellers.updateReseller(ids.get(3), account, null);
        resellers.changeContact(ids.get(4), null, contact);
        new KeysApi(client).updateKey(ids.get(5), null, key);
        new WebhooksApi(client).updateWebhook(ids.get(6), null, webhook);
        new StaffApi(client).updateStaff(ids.get(7), null, member);
        if (change || Library.NOTHING == null) {
            resellers.setAlerts(ids.get(8), alerts, null);
        }
        System.exit(0);
    }
}
