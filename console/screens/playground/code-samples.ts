import { apiUrl } from '../../api/api-url.ts'
import { callCommand } from '../../parts/first-call.tsx'
import { literal } from '../../parts/literal.ts'
import { callOf } from './python-text.ts'

export type SampleKind = 'chat' | 'image' | 'speech' | 'task' | 'job'

type Body = Record<string, unknown>
type Sample = { path: string; typescript: (body: string) => string; python: (body: Body) => string }

/** Programs need a key: a session is none. */
export function samplesOf(kind: SampleKind, body: Body): Record<string, string> {
  const { path, typescript, python } = SAMPLES[kind]
  const text = JSON.stringify(body, null, 2)
  return { curl: callCommand(path, text), TypeScript: typescript(text), Python: python(body) }
}

const base = () => JSON.stringify(`${apiUrl()}/v3`)

const OPENAI_TS = () => `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: ${base()}, apiKey: process.env.GATEHOUSE_API_KEY })`

const OPENAI_PY = () => `import os
from openai import OpenAI

client = OpenAI(base_url=${base()}, api_key=os.environ["GATEHOUSE_API_KEY"])`

const SAMPLES: Readonly<Record<SampleKind, Sample>> = {
  chat: {
    path: '/v3/chat/completions',
    typescript: (body) => `${OPENAI_TS()}
const stream = await client.chat.completions.create(${body})
for await (const { choices } of stream) process.stdout.write(choices[0]?.delta.content ?? '')`,
    python: (body) => `${OPENAI_PY()}
stream = ${callOf('client.chat.completions.create', body)}
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")`,
  },
  image: {
    path: '/v3/images/generations',
    typescript: (body) => `import { writeFile } from 'node:fs/promises'
${OPENAI_TS()}
const { data } = await client.images.generate(${body})
await writeFile('image.png', Buffer.from(data[0].b64_json, 'base64'))`,
    python: (body) => `import base64
${OPENAI_PY()}
images = ${callOf('client.images.generate', body)}
with open("image.png", "wb") as file:
    file.write(base64.b64decode(images.data[0].b64_json))`,
  },
  speech: {
    path: '/v3/audio/speech',
    typescript: (body) => `import { writeFile } from 'node:fs/promises'
${OPENAI_TS()}
const speech = await client.audio.speech.create(${body})
await writeFile('speech.audio', Buffer.from(await speech.arrayBuffer()))`,
    python: (body) => `${OPENAI_PY()}
speech = ${callOf('client.audio.speech.create', body)}
speech.write_to_file("speech.audio")`,
  },
  task: taskSample('/v3/universal-ai'),
  job: taskSample('/v3/universal-ai/async'),
}

/** No client of OpenAI knows tasks. */
function taskSample(path: string): Sample {
  const url = () => JSON.stringify(`${apiUrl()}${path}`)
  return {
    path,
    typescript: (body) => `const answer = await fetch(${url()}, {
  method: 'POST',
  headers: { authorization: \`Bearer \${process.env.GATEHOUSE_API_KEY}\`, 'content-type': 'application/json' },
  body: JSON.stringify(${body}),
})
console.log(await answer.json())`,
    python: (body) => `import os
import requests

answer = requests.post(
    ${url()},
    headers={"Authorization": f"Bearer {os.environ['GATEHOUSE_API_KEY']}"},
    json=${literal(body, 'python', '    ')},
)
print(answer.json())`,
  }
}
