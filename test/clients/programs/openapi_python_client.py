import os
import time
from io import BytesIO

from gatehouse_client import AuthenticatedClient
from gatehouse_client.api.chat import post_chat_completions
from gatehouse_client.api.files import get_upload_by_file_id_content, post_upload
from gatehouse_client.api.images import post_images_generations
from gatehouse_client.api.universal_tasks import get_info_by_feature_by_subfeature, get_universal_ai_async_by_job_id
from gatehouse_client.api.universal_tasks import post_embeddings, post_universal_ai, post_universal_ai_async
from gatehouse_client.models import ChatRequest, EmbeddingsRequest, ErrorBody, ImageGenerationRequest
from gatehouse_client.models import UniversalAsyncRequest, UniversalRequest, UploadForm
from gatehouse_client.types import File

# Calls with the client that openapi-python-client writes.

client = AuthenticatedClient(base_url=os.environ["GATEWAY_URL"], token=os.environ["GATEWAY_KEY"])
ask = {"model": "sandbox/echo", "messages": [{"role": "user", "content": "Hello!"}]}
moderation = {"model": "text/moderation/sandbox", "input": {"text": "Hello"}}

chat = post_chat_completions.sync(client=client, body=ChatRequest.from_dict(ask))
assert chat.choices[0].message.content == "Hello!"
# The client reads every answer as JSON, so a stream goes through its HTTP client.
with client.get_httpx_client().stream("POST", "/v3/chat/completions", json={**ask, "stream": True}) as stream:
    assert "data: [DONE]" in list(stream.iter_lines())
texts = EmbeddingsRequest.from_dict({"model": "openai/text-embedding-3-small", "input": ["Hello!"]})
assert len(post_embeddings.sync(client=client, body=texts).data) == 1
form = UploadForm(file=File(BytesIO(b"Hello"), "hello.txt"), purpose="test")
uploaded = post_upload.sync(client=client, body=form)
content = get_upload_by_file_id_content.sync_detailed(uploaded.file_id, client=client)
assert content.content == b"Hello" and uploaded.purpose == "test"
assert post_universal_ai.sync(client=client, body=UniversalRequest.from_dict(moderation)).status == "success"
job = post_universal_ai_async.sync(client=client, body=UniversalAsyncRequest.from_dict(moderation))
while job.status == "processing":
    time.sleep(0.05)
    job = get_universal_ai_async_by_job_id.sync(job.job_id, client=client)
assert job.status == "success"
info = get_info_by_feature_by_subfeature.sync("text", "moderation", client=client)
assert info.subfeature_fullname == "Text: Moderation"
door = ImageGenerationRequest.from_dict({"model": "sandbox/image", "prompt": "A door"})
assert len(post_images_generations.sync(client=client, body=door).data) == 1
refused = post_chat_completions.sync_detailed(client=client, body=ChatRequest.from_dict({**ask, "model": "unknown/nothing"}))
assert refused.status_code == 404 and isinstance(refused.parsed, ErrorBody)
assert refused.parsed.error.code == "model_not_found"
