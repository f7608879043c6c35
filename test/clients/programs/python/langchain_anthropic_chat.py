from anthropic import BadRequestError
from gatehouse import KEY, OPENAI, URL, weather
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from pydantic import BaseModel

llm = ChatAnthropic(model=OPENAI, base_url=URL, api_key=KEY, max_tokens=100)


class City(BaseModel):
    city: str


print("whole:", llm.invoke("Hello").text)
print("stream:", "".join(chunk.text for chunk in llm.stream("Hello")))
armed = llm.bind_tools([weather])
asked = HumanMessage("Hello")
first = armed.invoke([asked])
results = [ToolMessage(weather(**call["args"]), tool_call_id=call["id"]) for call in first.tool_calls]
print("tool:", armed.invoke([asked, first, *results]).text)
print("structured:", llm.with_structured_output(City).invoke("Hello").city)
try:
    ChatAnthropic(model="openai/too-long", base_url=URL, api_key=KEY, max_tokens=100).invoke("Hello")
except BadRequestError as error:
    print("error:", error.body["error"]["message"])
