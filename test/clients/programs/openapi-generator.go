package main

// Calls with the client that openapi-generator writes for Go.

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	openapi "github.com/GIT_USER_ID/GIT_REPO_ID"
)

const ask = `{"model": "sandbox/echo", "messages": [{"role": "user", "content": "Hello!"}]}`
const moderation = `{"model": "text/moderation/sandbox", "input": {"text": "Hello"}}`

func main() {
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: os.Getenv("GATEWAY_URL")}}
	client := openapi.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), openapi.ContextAccessToken, os.Getenv("GATEWAY_KEY"))
	chats(ctx, client)
	files(ctx, client)
	tasks(ctx, client)
}

func chats(ctx context.Context, client *openapi.APIClient) {
	question := read[openapi.ChatRequest](ask)
	chat, _, err := client.ChatAPI.PostChatCompletions(ctx).ChatRequest(question).Execute()
	must(err)
	expect(*chat.Choices[0].Message.Content.Get() == "Hello!", "chat")

	question.SetStream(true)
	// The client cannot read events and says so, but it returns the raw answer.
	_, raw, _ := client.ChatAPI.PostChatCompletions(ctx).ChatRequest(question).Execute()
	events, err := io.ReadAll(raw.Body)
	must(err)
	expect(strings.Contains(string(events), "data: [DONE]"), "stream")

	_, refused, err := client.ChatAPI.PostChatCompletions(ctx).ChatRequest(
		read[openapi.ChatRequest](strings.Replace(ask, "sandbox/echo", "unknown/nothing", 1))).Execute()
	expect(err != nil && refused.StatusCode == 404, "error")
	fault, isFault := err.(*openapi.GenericOpenAPIError).Model().(openapi.ErrorBody)
	expect(isFault && *fault.Error.Code.Get() == "model_not_found", "body of the error")

	texts := read[openapi.EmbeddingsRequest](`{"model": "openai/text-embedding-3-small", "input": ["Hello!"]}`)
	vectors, _, err := client.UniversalTasksAPI.PostEmbeddings(ctx).EmbeddingsRequest(texts).Execute()
	must(err)
	expect(len(vectors.Data) == 1, "embeddings")

	door := read[openapi.ImageGenerationRequest](`{"model": "sandbox/image", "prompt": "A door"}`)
	images, _, err := client.ImagesAPI.PostImagesGenerations(ctx).ImageGenerationRequest(door).Execute()
	must(err)
	expect(len(images.Data) == 1, "images")
}

func files(ctx context.Context, client *openapi.APIClient) {
	must(os.WriteFile("hello.txt", []byte("Hello"), 0o600))
	file, err := os.Open("hello.txt")
	must(err)
	uploaded, _, err := client.FilesAPI.PostUpload(ctx).File(file).Purpose("test").Execute()
	must(err)
	content, _, err := client.FilesAPI.GetUploadByFileIdContent(ctx, uploaded.FileId).Execute()
	must(err)
	bytes, err := io.ReadAll(content)
	must(err)
	expect(string(bytes) == "Hello" && uploaded.Purpose == "test", "upload")
}

func tasks(ctx context.Context, client *openapi.APIClient) {
	task, _, err := client.UniversalTasksAPI.PostUniversalAi(ctx).UniversalRequest(read[openapi.UniversalRequest](moderation)).Execute()
	must(err)
	expect(task.Status == "success", "task")
	job, _, err := client.UniversalTasksAPI.PostUniversalAiAsync(ctx).UniversalAsyncRequest(
		read[openapi.UniversalAsyncRequest](moderation)).Execute()
	for must(err); job.Status == openapi.PROCESSING; must(err) {
		time.Sleep(50 * time.Millisecond)
		job, _, err = client.UniversalTasksAPI.GetUniversalAiAsyncByJobId(ctx, job.JobId).Execute()
	}
	expect(job.Status == openapi.SUCCESS, "job")
	info, _, err := client.UniversalTasksAPI.GetInfoByFeatureBySubfeature(ctx, "text", "moderation").Execute()
	must(err)
	expect(info.SubfeatureFullname == "Text: Moderation", "info")
}

func read[Value any](text string) Value {
	var value Value
	must(json.Unmarshal([]byte(text), &value))
	return value
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func expect(holds bool, what string) {
	if !holds {
		panic(fmt.Sprintf("%s is not as expected", what))
	}
}
