import asyncio

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    Runner,
    function_tool,
    set_default_openai_client,
    set_tracing_disabled,
)
from gatehouse import CLAUDE, KEY, URL
from gatehouse import weather as forecast
from openai import AsyncOpenAI, BadRequestError
from pydantic import BaseModel

client = AsyncOpenAI(base_url=URL, api_key=KEY)
set_default_openai_client(client)
set_tracing_disabled(True)
weather = function_tool(forecast)


class City(BaseModel):
    city: str


async def streamed() -> str:
    run = Runner.run_streamed(Agent(name="a", model="gpt-4o-mini"), "Hello")
    raw = [event.data async for event in run.stream_events() if event.type == "raw_response_event"]
    return "".join(event.delta for event in raw if event.type == "response.output_text.delta")


async def main() -> None:
    other = OpenAIChatCompletionsModel(model=CLAUDE, openai_client=client)
    print("whole:", (await Runner.run(Agent(name="a", model="gpt-4o-mini"), "Hello")).final_output)
    print("stream:", await streamed())
    print("tool:", (await Runner.run(Agent(name="a", model="gpt-4o-mini", tools=[weather]), "Hello")).final_output)
    print("chat:", (await Runner.run(Agent(name="a", model=other, tools=[weather]), "Hello")).final_output)
    agent = Agent(name="a", model=other, output_type=City)
    print("structured:", (await Runner.run(agent, "Hello")).final_output.city)
    try:
        await Runner.run(Agent(name="a", model=OpenAIChatCompletionsModel("anthropic/too-long", client)), "Hello")
    except BadRequestError as error:
        print("error:", error.code)


asyncio.run(main())
