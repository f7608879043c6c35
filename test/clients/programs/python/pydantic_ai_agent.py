import asyncio

from anthropic import AsyncAnthropic
from gatehouse import CLAUDE, KEY, OPENAI, URL, weather
from pydantic import BaseModel
from pydantic_ai import Agent, ModelHTTPError
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(base_url=URL, api_key=KEY)
model = OpenAIChatModel(CLAUDE, provider=provider)


class City(BaseModel):
    city: str


async def streamed() -> str:
    async with Agent(model).run_stream("Hello") as result:
        return [text async for text in result.stream_text()][-1]


print("whole:", Agent(model).run_sync("Hello").output)
print("stream:", asyncio.run(streamed()))
print("tool:", Agent(model, tools=[weather]).run_sync("Hello").output)
print("structured:", Agent(model, output_type=City).run_sync("Hello").output.city)
print("response:", Agent(OpenAIResponsesModel(CLAUDE, provider=provider)).run_sync("Hello").output)
anthropic = AnthropicProvider(anthropic_client=AsyncAnthropic(base_url=URL, api_key=KEY))
print("messages:", Agent(AnthropicModel(OPENAI, provider=anthropic), tools=[weather]).run_sync("Hello").output)
try:
    Agent(OpenAIChatModel("anthropic/too-long", provider=provider)).run_sync("Hello")
except ModelHTTPError as error:
    print("error:", error.status_code, error.body["code"])
