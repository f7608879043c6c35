from anthropic import Anthropic, AuthenticationError, BadRequestError
from gatehouse import CITY, GEMINI, KEY, OPENAI, URL, weather
from pydantic import BaseModel

client = Anthropic(base_url=URL, api_key=KEY)
hello = [{"role": "user", "content": "Hello"}]
tools = [{"name": "weather", "input_schema": CITY}]


class City(BaseModel):
    city: str


print("whole:", client.messages.create(model=OPENAI, max_tokens=100, messages=hello).content[0].text)
with client.messages.stream(model=GEMINI, max_tokens=100, messages=hello) as stream:
    print("stream:", "".join(stream.text_stream))

first = client.messages.create(model=OPENAI, max_tokens=100, messages=hello, tools=tools)
results = [
    {"type": "tool_result", "tool_use_id": call.id, "content": weather(**call.input)}
    for call in first.content
    if call.type == "tool_use"
]
turns = [*hello, {"role": "assistant", "content": first.content}, {"role": "user", "content": results}]
print("tool:", client.messages.create(model=OPENAI, max_tokens=100, messages=turns, tools=tools).content[0].text)

parsed = client.messages.parse(model=OPENAI, max_tokens=100, messages=hello, output_format=City)
print("structured:", parsed.parsed_output.city)
print("models:", any(model.id == OPENAI for model in client.models.list()))
print("tokens:", client.messages.count_tokens(model=OPENAI, messages=hello).input_tokens > 0)
try:
    client.messages.create(model="openai/too-long", max_tokens=100, messages=hello)
except BadRequestError as error:
    print("error:", error.body["error"]["message"])
try:
    Anthropic(base_url=URL, api_key="wrong").messages.create(model=OPENAI, max_tokens=100, messages=hello)
except AuthenticationError as error:
    print("wrong key:", error.status_code)
