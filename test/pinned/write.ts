import { writeFileSync } from 'node:fs'
import { pinnedCases } from './cases.ts'
import { startPinnedGateway } from './pinned-gateway.ts'
import { RECORDED } from './recorded.ts'

// `npm run pin` writes what every call does now. Read the difference before you commit it: each line of it is something that
// a caller, a provider or an operator sees.

const gateway = await startPinnedGateway()
const lines: string[] = []
for (const pinned of pinnedCases()) lines.push(JSON.stringify({ name: pinned.name, ...(await gateway.record(pinned)) }))
await gateway.close()
writeFileSync(RECORDED, `${lines.join('\n')}\n`)
console.log(`${lines.length} calls are in ${RECORDED.pathname}.`)
