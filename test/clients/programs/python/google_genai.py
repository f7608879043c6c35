import io

from gatehouse import CLAUDE, KEY, OPENAI, URL, weather
from google import genai
from google.genai import errors, types
from pydantic import BaseModel

client = genai.Client(api_key=KEY, http_options={"base_url": URL})


class City(BaseModel):
    city: str


print("whole:", client.models.generate_content(model="gemini-2.5-flash", contents="Hello").text)
stream = client.models.generate_content_stream(model=CLAUDE, contents="Hello")
print("stream:", "".join(chunk.text or "" for chunk in stream))
config = types.GenerateContentConfig(tools=[weather])
print("tool:", client.models.generate_content(model=OPENAI, contents="Hello", config=config).text)
config = types.GenerateContentConfig(response_mime_type="application/json", response_schema=City)
print("structured:", client.models.generate_content(model=CLAUDE, contents="Hello", config=config).parsed.city)
config = types.GenerateContentConfig(thinking_config=types.ThinkingConfig(include_thoughts=True, thinking_budget=-1))
print("thinking:", client.models.generate_content(model=CLAUDE, contents="Hello", config=config).text)
print("tokens:", client.models.count_tokens(model=CLAUDE, contents="Hello").total_tokens > 0)
print("models:", any(model.name == f"models/{OPENAI}" for model in client.models.list()))
config = types.UploadFileConfig(mime_type="text/plain", display_name="a.txt")
file = client.files.upload(file=io.BytesIO(b"Hello"), config=config)
print("file:", file.state.name, file.display_name, file.size_bytes)
print("files:", any(one.name == file.name for one in client.files.list()))
print("with the file:", "Read" in client.models.generate_content(model=CLAUDE, contents=["Read", file]).text)
client.files.delete(name=file.name)
try:
    client.files.get(name=file.name)
except errors.ClientError as error:
    print("gone:", error.code)
try:
    client.models.generate_content(model="openai/fail-400", contents="Hello")
except errors.ClientError as error:
    print("error:", error.code, error.status)
