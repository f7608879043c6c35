import json
import os
import time

from openapi_client import ApiClient, ApiException, ChatApi, ChatRequest, Configuration, EmbeddingsRequest, FilesApi
from openapi_client import EmbeddingsRequestInput, ImageGenerationRequest, ImagesApi, UniversalAsyncRequest, UniversalRequest
from openapi_client import ConversationItemsRequest, MessagesRequest, ModelsApi, ResponsesRequest, UniversalTasksApi
import openapi_client

# Calls with the client that openapi-generator writes for Python.

client = ApiClient(Configuration(host=os.environ["GATEWAY_URL"], access_token=os.environ["GATEWAY_KEY"]))
ask = {"model": "sandbox/echo", "messages": [{"role": "user", "content": "Hello!"}]}
tasks = UniversalTasksApi(client)
moderation = {"model": "text/moderation/sandbox", "input": {"text": "Hello"}}

chat = ChatApi(client).post_chat_completions(ChatRequest.from_dict(ask))
assert chat.choices[0].message.content == "Hello!"
# A request that was read from a dictionary is sent as it was: no part is lost, and no field is added.
parts = {**ask, "logprobs": False, "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello!"}]}]}
assert ChatRequest.from_dict(parts).to_dict() == parts, ChatRequest.from_dict(parts).to_dict()
chat = ChatApi(client).post_chat_completions(ChatRequest.from_dict(parts))
assert chat.choices[0].message.content == "Hello!"
turn = {"role": "user", "content": [{"type": "text", "text": "Hello!"}]}
messages = {"model": "sandbox/echo", "max_tokens": 10, "system": [{"type": "text", "text": "Hi"}], "messages": [turn]}
assert MessagesRequest.from_dict(messages).to_dict() == messages
item = {"role": "user", "content": [{"type": "input_text", "text": "Hello!"}]}
assert ResponsesRequest.from_dict({"model": "sandbox/echo", "input": [item]}).to_dict()["input"] == [item]
assert ConversationItemsRequest.from_dict({"items": [item]}).to_dict() == {"items": [item]}
with open("api.json") as file:
    document = json.load(file)
for operation in (one for methods in document["paths"].values() for one in methods.values()):
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    if "example" in content:
        request = getattr(openapi_client, content["schema"]["$ref"].split("/")[-1]).from_dict(content["example"])
        assert client.sanitize_for_serialization(request) == content["example"], operation["operationId"]
assert len(ModelsApi(client).get_models(all=True).data) >= len(ModelsApi(client).get_models(available=True).data) > 0
stream = ChatApi(client).post_chat_completions_without_preload_content(ChatRequest.from_dict({**ask, "stream": True}))
assert b"data: [DONE]" in stream.read()
texts = EmbeddingsRequest(model="openai/text-embedding-3-small", input=EmbeddingsRequestInput(["Hello!"]))
assert len(tasks.post_embeddings(texts).data) == 1
uploaded = FilesApi(client).post_upload(file=("hello.txt", b"Hello"), purpose="test")
assert FilesApi(client).get_upload_by_file_id_content(str(uploaded.file_id)) == b"Hello"
assert tasks.post_universal_ai(UniversalRequest.from_dict(moderation)).status == "success"
job = tasks.post_universal_ai_async(UniversalAsyncRequest.from_dict(moderation))
while job.status == "processing":
    time.sleep(0.05)
    job = tasks.get_universal_ai_async_by_job_id(str(job.job_id))
assert job.status == "success"
assert tasks.get_info_by_feature_by_subfeature("text", "moderation").mode == "sync"
images = ImagesApi(client).post_images_generations(ImageGenerationRequest(model="sandbox/image", prompt="A door"))
assert len(images.data) == 1
try:
    ChatApi(client).post_chat_completions(ChatRequest.from_dict({**ask, "model": "unknown/nothing"}))
    raise AssertionError("an unknown model was accepted")
except ApiException as error:
    assert error.status == 404, error.status
