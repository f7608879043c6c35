import json

from gatehouse import CITY, CLAUDE, KEY, OPENAI, URL, weather
from openai import BadRequestError, OpenAI
from pydantic import BaseModel

client = OpenAI(base_url=URL, api_key=KEY)
hello = [{"role": "user", "content": "Hello"}]
TOOL = {"type": "function", "function": {"name": "weather", "parameters": CITY}}


class City(BaseModel):
    city: str


print("whole:", client.chat.completions.create(model=OPENAI, messages=hello).choices[0].message.content)
stream = client.chat.completions.create(model=CLAUDE, messages=hello, stream=True)
print("stream:", "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices))

first = client.chat.completions.create(model=CLAUDE, messages=hello, tools=[TOOL]).choices[0].message
results = [
    {"role": "tool", "tool_call_id": call.id, "content": weather(**json.loads(call.function.arguments))}
    for call in first.tool_calls
]
turn = client.chat.completions.create(model=CLAUDE, messages=[*hello, first, *results], tools=[TOOL])
print("tool:", turn.choices[0].message.content)

parsed = client.chat.completions.parse(model=CLAUDE, messages=hello, response_format=City)
print("structured:", parsed.choices[0].message.parsed.city)

print("response:", client.responses.create(model=CLAUDE, input="Hello").output_text)
with client.responses.stream(model=CLAUDE, input="Hello") as events:
    print("streamed response:", "".join(event.delta for event in events if event.type == "response.output_text.delta"))
print("parsed response:", client.responses.parse(model=CLAUDE, input="Hello", text_format=City).output_parsed.city)

events = client.images.generate(model="sandbox/image", prompt="A door", stream=True)
print("image events:", *[event.type for event in events])

try:
    client.chat.completions.create(model="anthropic/too-long", messages=hello)
except BadRequestError as error:
    print("error:", error.code)
