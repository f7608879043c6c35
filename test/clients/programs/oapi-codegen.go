package main

// Calls with the client that oapi-codegen writes.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"time"

	"example/client"
)

const ask = `{"model": "sandbox/echo", "messages": [{"role": "user", "content": "Hello!"}]}`
const moderation = `{"model": "text/moderation/sandbox", "input": {"text": "Hello"}}`

func main() {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("authorization", "Bearer "+os.Getenv("GATEWAY_KEY"))
		return nil
	}
	gateway, err := client.NewClientWithResponses(os.Getenv("GATEWAY_URL"), client.WithRequestEditorFn(authorize))
	must(err)
	ctx := context.Background()
	chats(ctx, gateway)
	files(ctx, gateway)
	tasks(ctx, gateway)
}

func chats(ctx context.Context, gateway *client.ClientWithResponses) {
	question := read[client.ChatRequest](ask)
	chat, err := gateway.PostChatCompletionsWithResponse(ctx, nil, question)
	must(err)
	expect(*chat.JSON200.Choices[0].Message.Content == "Hello!", "chat")

	isStream := true
	question.Stream = &isStream
	raw, err := gateway.PostChatCompletions(ctx, nil, question)
	must(err)
	events, err := io.ReadAll(raw.Body)
	must(err)
	expect(strings.Contains(string(events), "data: [DONE]"), "stream")

	question.Model = "unknown/nothing"
	refused, err := gateway.PostChatCompletionsWithResponse(ctx, nil, question)
	must(err)
	expect(refused.StatusCode() == 404 && *refused.JSON404.Error.Code == "model_not_found", "error")

	vectors, err := gateway.PostEmbeddingsWithResponse(ctx, nil,
		read[client.EmbeddingsRequest](`{"model": "openai/text-embedding-3-small", "input": ["Hello!"]}`))
	must(err)
	expect(len(vectors.JSON200.Data) == 1, "embeddings")
	images, err := gateway.PostImagesGenerationsWithResponse(ctx, nil,
		read[client.ImageGenerationRequest](`{"model": "sandbox/image", "prompt": "A door"}`))
	must(err)
	expect(len(images.JSON200.Data) == 1, "images")
}

func files(ctx context.Context, gateway *client.ClientWithResponses) {
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	part, err := writer.CreateFormFile("file", "hello.txt")
	must(err)
	_, err = part.Write([]byte("Hello"))
	must(err)
	must(writer.WriteField("purpose", "test"))
	must(writer.Close())
	uploaded, err := gateway.PostUploadWithBodyWithResponse(ctx, writer.FormDataContentType(), &form)
	must(err)
	content, err := gateway.GetUploadByFileIdContentWithResponse(ctx, uploaded.JSON200.FileId)
	must(err)
	expect(string(content.Body) == "Hello" && uploaded.JSON200.Purpose == "test", "upload")
}

func tasks(ctx context.Context, gateway *client.ClientWithResponses) {
	task, err := gateway.PostUniversalAiWithResponse(ctx, nil, read[client.UniversalRequest](moderation))
	must(err)
	expect(task.JSON200.Status == "success", "task")
	submitted, err := gateway.PostUniversalAiAsyncWithResponse(ctx, nil, read[client.UniversalAsyncRequest](moderation))
	must(err)
	job := submitted.JSON202
	for job.Status == "processing" {
		time.Sleep(50 * time.Millisecond)
		polled, err := gateway.GetUniversalAiAsyncByJobIdWithResponse(ctx, job.JobId)
		must(err)
		job = polled.JSON200
	}
	expect(job.Status == "success", "job")
	info, err := gateway.GetInfoByFeatureBySubfeatureWithResponse(ctx, "text", "moderation", nil)
	must(err)
	expect(info.JSON200.SubfeatureFullname == "Text: Moderation", "info")
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
