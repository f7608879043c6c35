import asyncio
import os

from agents import Agent, HostedMCPTool, OpenAIResponsesModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI

url = f"{os.environ['GATEHOUSE_URL']}/v3"
client = AsyncOpenAI(base_url=url, api_key=os.environ["GATEHOUSE_API_KEY"])
# Without this class, it takes the part before the slash for a provider of its own.
model = OpenAIResponsesModel(model="fake/priced", openai_client=client)
set_tracing_disabled(True)
asked: list[str] = []


def approve(request):
    asked.append(request.data.name)
    return {"approve": True}


def agent(require_approval: str) -> Agent:
    config = {"type": "mcp", "server_label": "everything", "require_approval": require_approval}
    tool = HostedMCPTool(tool_config=config, on_approval_request=approve)
    return Agent(name="a", model=model, tools=[tool])


async def main() -> None:
    run = await Runner.run(agent("never"), "What is 2 + 40?")
    items = [item for response in run.raw_responses for item in response.output]
    print("whole:", run.final_output)
    print("items:", ", ".join(item.type for item in items))
    print("called:", *[f"{item.name} {item.output.splitlines()[-1]}" for item in items if item.type == "mcp_call"])
    streamed = Runner.run_streamed(agent("never"), "What is 2 + 40?")
    raw = [event.data async for event in streamed.stream_events() if event.type == "raw_response_event"]
    print("stream:", "".join(event.delta for event in raw if event.type == "response.output_text.delta"))
    approved = await Runner.run(agent("always"), "What is 2 + 40?")
    print("approved:", *asked, approved.final_output)


asyncio.run(main())
