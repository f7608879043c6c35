import os

os.environ["CREWAI_DISABLE_TELEMETRY"] = os.environ["OTEL_SDK_DISABLED"] = "true"

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from gatehouse import KEY, URL
from gatehouse import weather as forecast
from pydantic import BaseModel


class City(BaseModel):
    city: str


@tool("weather")
def weather(city: str) -> str:
    """Tells the weather in a city."""
    return forecast(city)


def llm(model: str, **more) -> LLM:
    return LLM(model=model, base_url=URL, api_key=KEY, **more)


def crew(**more) -> str:
    agent = Agent(role="r", goal="g", backstory="b", llm=llm("openai/gpt-4o-mini"), **more)
    task = Task(description="Hello", expected_output="words", agent=agent)
    return Crew(agents=[agent], tasks=[task]).kickoff().raw


print("whole:", llm("openai/gpt-4o-mini").call("Hello"))
print("stream:", llm("openai/gpt-4o-mini", stream=True).call("Hello"))
print("structured:", llm("openai/gpt-4o-mini", response_format=City).call("Hello"))
print("tool:", crew(tools=[weather]))
try:
    llm("openai/fail-400").call("Hello")
except Exception as error:
    print("error:", "There is no model" in str(error))
