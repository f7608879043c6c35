import json

from gatehouse import CITY, CLAUDE, KEY, OPENAI, URL, weather

try:
    from mistralai import Mistral
except ImportError:
    from mistralai.client import Mistral
try:
    from mistralai.models import SDKError
except ImportError:
    from mistralai.client.errors import SDKError
from pydantic import BaseModel

client = Mistral(server_url=URL, api_key=KEY)
hello = [{"role": "user", "content": "Hello"}]
tools = [{"type": "function", "function": {"name": "weather", "parameters": CITY}}]


class City(BaseModel):
    city: str


print("whole:", client.chat.complete(model=CLAUDE, messages=hello).choices[0].message.content)
events = client.chat.stream(model=OPENAI, messages=hello)
print("stream:", "".join(event.data.choices[0].delta.content or "" for event in events if event.data.choices))
first = client.chat.complete(model=CLAUDE, messages=hello, tools=tools).choices[0].message
results = [
    {"role": "tool", "tool_call_id": call.id, "content": weather(**json.loads(call.function.arguments))}
    for call in first.tool_calls
]
turn = client.chat.complete(model=CLAUDE, messages=[*hello, first, *results], tools=tools)
print("tool:", turn.choices[0].message.content)
parsed = client.chat.parse(model=CLAUDE, messages=hello, response_format=City)
print("structured:", parsed.choices[0].message.parsed.city)
page = client.ocr.process(
    model="sandbox", document={"type": "document_url", "document_url": "data:application/pdf;base64,JVBERi0="}
).pages[0]
print("ocr:", page.markdown != "")
vectors = client.embeddings.create(model="openai/text-embedding-3-small", inputs=["Hello", "Oslo"])
print("embeddings:", len(vectors.data), len(vectors.id) > 0)
print("models:", any(model.id == OPENAI for model in client.models.list().data))
try:
    client.chat.complete(model="anthropic/too-long", messages=hello)
except SDKError as error:
    print("error:", error.status_code)
