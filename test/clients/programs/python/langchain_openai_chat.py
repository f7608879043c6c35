from gatehouse import CLAUDE, KEY, URL, weather
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from openai import BadRequestError
from pydantic import BaseModel

llm = ChatOpenAI(model=CLAUDE, base_url=URL, api_key=KEY, stream_usage=True)


class City(BaseModel):
    city: str


print("whole:", llm.invoke("Hello").text)
chunks = list(llm.stream("Hello"))
print("stream:", "".join(chunk.text for chunk in chunks))
print("usage:", sum(chunk.usage_metadata["total_tokens"] for chunk in chunks if chunk.usage_metadata))
armed = llm.bind_tools([weather])
asked = HumanMessage("Hello")
first = armed.invoke([asked])
results = [ToolMessage(weather(**call["args"]), tool_call_id=call["id"]) for call in first.tool_calls]
print("tool:", armed.invoke([asked, first, *results]).text)
print("structured:", llm.with_structured_output(City, method="json_schema").invoke("Hello").city)
print("response:", llm.model_copy(update={"use_responses_api": True}).invoke("Hello").text)
try:
    ChatOpenAI(model="anthropic/too-long", base_url=URL, api_key=KEY).invoke("Hello")
except BadRequestError as error:
    print("error:", error.code)
