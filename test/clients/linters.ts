import type { Generator } from './generators.ts'

// Programs that check OpenAPI documents. They are installed into the folder of the run, not into the project.

const INSTALL = 'npm install --silent --no-audit --no-fund --ignore-scripts --prefix'
const RULES = '{"extends": ["spectral:oas"]}'

export const LINTERS: Generator[] = [
  {
    name: 'Redocly',
    needs: ['npm'],
    steps: {
      install: `${INSTALL} redocly @redocly/cli@2`,
      check: 'REDOCLY_TELEMETRY=off redocly/node_modules/.bin/redocly lint api.json admin.json',
    },
  },
  {
    name: 'Spectral',
    needs: ['npm'],
    steps: {
      install: `${INSTALL} spectral @stoplight/spectral-cli@6 && echo '${RULES}' > spectral.json`,
      check: 'spectral/node_modules/.bin/spectral lint -r spectral.json -F error api.json admin.json',
    },
  },
]
