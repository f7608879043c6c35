from gatehouse import CLAUDE, KEY, URL, weather
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai import OpenAI
from llama_index.llms.openai_like import OpenAILike
from openai import BadRequestError
from pydantic import BaseModel

options = {"api_base": URL, "api_key": KEY}
llm = OpenAILike(model=CLAUDE, is_chat_model=True, is_function_calling_model=True, **options)
hello = [ChatMessage(role="user", content="Hello")]


class City(BaseModel):
    city: str


print("whole:", llm.chat(hello).message.content)
print("stream:", "".join(chunk.delta or "" for chunk in llm.stream_chat(hello)))
tool = FunctionTool.from_defaults(weather)
first = llm.chat_with_tools([tool], chat_history=hello, allow_parallel_tool_calls=True)
results = [
    ChatMessage(role="tool", content=weather(**call.tool_kwargs), additional_kwargs={"tool_call_id": call.tool_id})
    for call in llm.get_tool_calls_from_response(first)
]
print("tool:", llm.chat_with_tools([tool], chat_history=[*hello, first.message, *results]).message.content)
print("structured:", llm.as_structured_llm(City).chat(hello).raw.city)
print("OpenAI:", OpenAI(model="gpt-4o-mini", **options).chat(hello).message.content)
try:
    OpenAILike(model="anthropic/too-long", is_chat_model=True, max_retries=0, **options).chat(hello)
except BadRequestError as error:
    print("error:", error.code)
