import { callCommand } from '../../api/call-command.ts'
import { literal } from '../../parts/literal.ts'
import { callOf } from './python-text.ts'

export type SampleKind = 'chat' | 'image' | 'speech' | 'task' | 'job'

type Body = Record<string, unknown>
type Sample = {
  path: string
  curlFlags?: string
  typescript: (body: string, api: string) => string
  python: (body: Body, api: string) => string
}

/** Programs need a key: a session is none. `api` is where callers reach the API. */
export function samplesOf(kind: SampleKind, body: Body, api: string): Record<string, string> {
  const { path, curlFlags, typescript, python } = SAMPLES[kind]
  const text = JSON.stringify(body, null, 2)
  return {
    curl: callCommand(api + path, text, curlFlags),
    TypeScript: typescript(text, api),
    Python: python(body, api),
  }
}

const openaiTs = (api: string) => `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: ${JSON.stringify(`${api}/v3`)}, apiKey: process.env.GATEHOUSE_API_KEY })`

const openaiPy = (api: string) => `import os
from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(`${api}/v3`)}, api_key=os.environ["GATEHOUSE_API_KEY"])`

const SAMPLES: Readonly<Record<SampleKind, Sample>> = {
  chat: {
    path: '/v3/chat/completions',
    curlFlags: '-N',
    typescript: (body, api) => `${openaiTs(api)}
const stream = await client.chat.completions.create(${body})
for await (const { choices } of stream) process.stdout.write(choices[0]?.delta.content ?? '')`,
    python: (body, api) => `${openaiPy(api)}
stream = ${callOf('client.chat.completions.create', body)}
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")`,
  },
  image: {
    path: '/v3/images/generations',
    typescript: (body, api) => `import { writeFile } from 'node:fs/promises'
${openaiTs(api)}
const { data } = await client.images.generate(${body})
await writeFile('image.png', Buffer.from(data[0].b64_json, 'base64'))`,
    python: (body, api) => `import base64
${openaiPy(api)}
images = ${callOf('client.images.generate', body)}
with open("image.png", "wb") as file:
    file.write(base64.b64decode(images.data[0].b64_json))`,
  },
  speech: {
    path: '/v3/audio/speech',
    // On a terminal, curl refuses to print a recording.
    curlFlags: '--fail-with-body --output speech.audio',
    typescript: (body, api) => `import { writeFile } from 'node:fs/promises'
${openaiTs(api)}
const speech = await client.audio.speech.create(${body})
await writeFile('speech.audio', Buffer.from(await speech.arrayBuffer()))`,
    python: (body, api) => `${openaiPy(api)}
speech = ${callOf('client.audio.speech.create', body)}
speech.write_to_file("speech.audio")`,
  },
  task: taskSample('/v3/universal-ai'),
  job: taskSample('/v3/universal-ai/async'),
}

/** No client of OpenAI knows tasks. */
function taskSample(path: string): Sample {
  return {
    path,
    typescript: (body, api) => `const answer = await fetch(${JSON.stringify(api + path)}, {
  method: 'POST',
  headers: { authorization: \`Bearer \${process.env.GATEHOUSE_API_KEY}\`, 'content-type': 'application/json' },
  body: JSON.stringify(${body}),
})
console.log(await answer.json())`,
    python: (body, api) => `import os
import requests

answer = requests.post(
    ${JSON.stringify(api + path)},
    headers={"Authorization": f"Bearer {os.environ['GATEHOUSE_API_KEY']}"},
    json=${literal(body, 'python', '    ')},
)
print(answer.json())`,
  }
}
