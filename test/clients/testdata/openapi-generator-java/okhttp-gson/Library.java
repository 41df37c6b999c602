// What the library okhttp-gson has by names of its own: it sends no null, and a text is cleared by an empty one.
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.model.Problem;

class Library {
    static final String NOTHING = "";

    static ApiClient as(String base, String token) {
        return new ApiClient().setBasePath(base).addDefaultHeader("Authorization", "Bearer " + token);
    }

    static Problem problem(ApiException refused) throws Exception {
        return Problem.fromJson(refused.getResponseBody());
    }
}
