import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import okhttp3.Response;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ChatApi;
import org.openapitools.client.api.FilesApi;
import org.openapitools.client.api.ImagesApi;
import org.openapitools.client.api.UniversalTasksApi;
import org.openapitools.client.model.*;

/** Calls with the client that openapi-generator writes for Java. */
public class OpenapiGenerator {
  static final Map<String, Object> INPUT = Map.of("text", "Hello");

  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("GATEWAY_URL"));
    client.setBearerToken(System.getenv("GATEWAY_KEY"));
    chats(client);
    files(new FilesApi(client));
    tasks(new UniversalTasksApi(client));
    System.exit(0);
  }

  static ChatRequest ask(String model) {
    Message message = new Message().role(Message.RoleEnum.USER).content(new MessageContent("Hello!"));
    return new ChatRequest().model(model).messages(List.of(message));
  }

  static void chats(ApiClient client) throws Exception {
    ChatApi chats = new ChatApi(client);
    ChatCompletion chat = chats.postChatCompletions(ask("sandbox/echo"), null, null);
    expect("Hello!".equals(chat.getChoices().get(0).getMessage().getContent()), "chat");
    ChatRequest streamed = ask("sandbox/echo").stream(true);
    try (Response raw = chats.postChatCompletionsCall(streamed, null, null, null).execute()) {
      expect(raw.body().string().contains("data: [DONE]"), "stream");
    }
    try {
      chats.postChatCompletions(ask("unknown/nothing"), null, null);
      expect(false, "error");
    } catch (ApiException error) {
      expect(error.getCode() == 404 && error.getResponseBody().contains("model_not_found"), "error");
    }
    // Generated code can neither write nor read lists in a union; see docs/clients.md.
    EmbeddingsRequest texts = new EmbeddingsRequest().encodingFormat(EmbeddingsRequest.EncodingFormatEnum.BASE64);
    texts.model("openai/text-embedding-3-small").input(new EmbeddingsRequestInput("Hello!"));
    expect(new UniversalTasksApi(client).postEmbeddings(texts, null).getData().size() == 1, "embeddings");
    ImageGenerationRequest door = new ImageGenerationRequest().model("sandbox/image").prompt("A door");
    expect(new ImagesApi(client).postImagesGenerations(door, null, null).getData().size() == 1, "images");
  }

  static void files(FilesApi files) throws Exception {
    File file = File.createTempFile("hello", ".txt");
    Files.writeString(file.toPath(), "Hello");
    UploadedFile uploaded = files.postUpload(file, "test", null, null);
    File content = files.getUploadByFileIdContent(uploaded.getFileId());
    expect(Files.readString(content.toPath(), StandardCharsets.UTF_8).equals("Hello"), "upload");
  }

  static void tasks(UniversalTasksApi tasks) throws Exception {
    UniversalRequest moderation = new UniversalRequest().model("text/moderation/sandbox").input(INPUT);
    expect("success".equals(tasks.postUniversalAi(moderation, null).getStatus().getValue()), "task");
    UniversalAsyncRequest request = new UniversalAsyncRequest().model("text/moderation/sandbox").input(INPUT);
    UniversalJob job = tasks.postUniversalAiAsync(request, null);
    while (job.getStatus() == JobStatus.PROCESSING) {
      Thread.sleep(50);
      job = tasks.getUniversalAiAsyncByJobId(job.getJobId());
    }
    expect(job.getStatus() == JobStatus.SUCCESS, "job");
    TaskInfo info = tasks.getInfoByFeatureBySubfeature("text", "moderation", null);
    expect("Text: Moderation".equals(info.getSubfeatureFullname()), "info");
  }

  static void expect(boolean holds, String what) {
    if (!holds) throw new AssertionError(what + " is not as expected");
  }
}
