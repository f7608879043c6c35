import instructor
from anthropic import Anthropic
from gatehouse import CLAUDE, GEMINI, KEY, OPENAI, URL
from openai import OpenAI
from pydantic import BaseModel

hello = [{"role": "user", "content": "Hello"}]


class City(BaseModel):
    city: str


def asked(client, **more):
    return client.chat.completions.create(messages=hello, response_model=City, **more).city


openai = OpenAI(base_url=URL, api_key=KEY)
print("structured:", asked(instructor.from_openai(openai), model=CLAUDE))
print("JSON schema:", asked(instructor.from_openai(openai, mode=instructor.Mode.JSON_SCHEMA), model=GEMINI))
anthropic = Anthropic(base_url=URL, api_key=KEY)
print("messages:", asked(instructor.from_anthropic(anthropic), model=OPENAI, max_tokens=100))
named = instructor.from_provider("openai/gpt-4o-mini", base_url=URL, api_key=KEY)
print("from_provider:", named.chat.completions.create(messages=hello, response_model=City).city)
partial = instructor.from_openai(openai).chat.completions.create_partial(model=CLAUDE, messages=hello, response_model=City)
print("stream:", list(partial)[-1].city)
try:
    asked(instructor.from_openai(openai), model="anthropic/too-long", max_retries=0)
except Exception as error:
    print("error:", "context_length_exceeded" in str(error))
