import asyncio

import httpx2
from gatehouse import KEY, URL
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def run(mode: str) -> None:
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {KEY}"}) as http:
        async with Client(streamable_http_client(f"{URL}/mcp", http_client=http), mode=mode) as client:
            print(f"{mode}:", client.protocol_version)
            tools = (await client.list_tools()).tools
            print(f"{mode} tools:", any(tool.name == "gatehouse_find_tools" for tool in tools))
            text = {"text": "Guten Morgen, wie geht es Ihnen?"}
            result = await client.call_tool("gatehouse_translation_language_detection", text)
            print(f"{mode} result:", result.structured_content["output"]["items"][0]["language"])
            print(f"{mode} cost:", result.meta["cost"])
            refused = await client.call_tool("gatehouse_translation_language_detection", {"txt": "x"})
            print(f"{mode} refused:", refused.is_error, refused.content[0].text.split("\n")[0])


for mode in ["legacy", "auto"]:
    asyncio.run(run(mode))
