import cohere
from gatehouse import KEY, URL

client = cohere.ClientV2(api_key=KEY, base_url=URL)
documents = ["Bread is baked in an oven.", "Oslo is in Norway."]

ranked = client.rerank(model="local/rerank", query="Where is Oslo?", documents=documents, top_n=1)
print("rerank:", documents[ranked.results[0].index])
page = client.models.list(endpoint="rerank", page_size=1)
print("models:", len(page.models), page.models[0].endpoints, client.models.get(page.models[0].name).finetuned)
try:
    client.rerank(model="unknown/nothing", query="Hello", documents=documents)
except cohere.NotFoundError as error:
    print("error:", error.status_code, error.body["message"][:17])
