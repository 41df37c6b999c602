// What the library native has by names of its own: it sends null.
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.model.Problem;

class Library {
    static final String NOTHING = null;

    static ApiClient as(String base, String token) {
        ApiClient client = new ApiClient();
        client.updateBaseUri(base);
        return client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    }

    static Problem problem(ApiException refused) throws Exception {
        return ApiClient.createDefaultObjectMapper().readValue(refused.getResponseBody(), Problem.class);
    }
}
