// What the client of openapi-generator's java reads of large numbers, and of a refusal.
import java.math.BigDecimal;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ResellersApi;
import org.openapitools.client.api.TokensApi;
import org.openapitools.client.model.Login;
import org.openapitools.client.model.Problem;
import org.openapitools.client.model.Recharge;
import org.openapitools.client.model.Recharged;

public class Main {
    public static void main(String[] arguments) throws Exception {
        try {
            new TokensApi(Library.as(arguments[0], "x")).issueToken(new Login().username("admin").password("wrong"));
        } catch (ApiException refused) {
            Problem problem = Library.problem(refused);
            System.out.println("refused " + problem.getStatus() + " " + problem.getCode());
        }
        ResellersApi resellers = new ResellersApi(Library.as(arguments[1], "x"));
        try {
            resellers.addCredits("7", new Recharge().credits(1.0), null);
        } catch (ApiException refused) {
            Problem later = Library.problem(refused);
            System.out.println("later " + later.getStatus() + " " + later.getCode() + " " + later.getRequiredScope());
        }
        Recharged large = resellers.addCredits("1099511627776", new Recharge().credits(999999999.9999), null);
        System.out.println("exact " + large.getId() + " " + new BigDecimal(Double.toString(large.getCredits())).toPlainString());
        System.exit(0); // the client's threads would go on for a minute
    }
}
