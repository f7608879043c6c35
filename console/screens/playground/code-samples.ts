import { apiUrl } from '../../api/api-url.ts'
import { callCommand } from '../../parts/first-call.tsx'
import { literal } from '../../parts/literal.ts'

/** The request for other programs. They need a key: a session is none. */
export function samplesOf(body: Record<string, unknown>): Record<string, string> {
  const text = JSON.stringify(body, null, 2)
  const base = JSON.stringify(`${apiUrl()}/v3`)
  return {
    curl: callCommand('/v3/chat/completions', text),
    TypeScript: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: ${base}, apiKey: process.env.GATEHOUSE_API_KEY })
const stream = await client.chat.completions.create(${text})
for await (const { choices } of stream) process.stdout.write(choices[0]?.delta.content ?? '')`,
    Python: `import os
from openai import OpenAI

client = OpenAI(base_url=${base}, api_key=os.environ["GATEHOUSE_API_KEY"])
stream = client.chat.completions.create(
${Object.entries(body)
  .map(([name, value]) => `    ${name}=${literal(value, 'python', '    ')},`)
  .join('\n')}
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")`,
  }
}
