import { json, SETTINGS } from './shared-flags.ts'

const url = {
  type: 'string',
  value: 'URL',
  variable: 'GATEHOUSE_URL',
  about: 'the address of the gateway, such as https://ai.example.com; by default, the address in the settings',
} as const
const WITH_KEY = 'The command asks the API with the key in GATEHOUSE_API_KEY.'

/** Batches, as their owner has them. */
export const BATCH_COMMANDS = {
  'batch submit': {
    summary: 'upload a file of requests and start a batch; prints the id of the batch',
    details: `Each line of FILE is {"custom_id": "…", "method": "POST", "url": "/v1/chat/completions", "body": {…}}. ${WITH_KEY}`,
    operands: ['FILE'],
    flags: {
      endpoint: {
        type: 'string',
        value: 'PATH',
        about: 'the endpoint of all lines, such as /v1/embeddings; without it, each line may have another one',
      },
      'completion-window': {
        type: 'string',
        value: 'TIME',
        about: 'how long the batch may take: 1h to 168h; 24h by default',
      },
      url,
      ...SETTINGS,
    },
    examples: [
      'gatehouse batch submit requests.jsonl',
      'gatehouse batch submit requests.jsonl --endpoint /v1/embeddings --completion-window 48h',
    ],
  },
  'batch status': {
    summary: 'show the progress of a batch; exits with 1 if it failed, expired or was cancelled',
    details: WITH_KEY,
    operands: ['ID'],
    flags: {
      watch: { type: 'boolean', about: 'wait until the batch has ended, with a progress bar' },
      url,
      json,
      ...SETTINGS,
    },
    examples: ['gatehouse batch status batch_3fa85f6457174562b3fc2c963f66afa6 --watch'],
  },
  'batch results': {
    summary: 'print the answers of a batch that has ended, and then the lines that failed',
    details: `Exits with 1 if the batch failed, expired or was cancelled; what was answered is printed all the same. ${WITH_KEY}`,
    operands: ['ID'],
    flags: {
      output: {
        type: 'string',
        value: 'FILE',
        about: 'write to this file, which is replaced when everything has arrived',
      },
      url,
      ...SETTINGS,
    },
    examples: ['gatehouse batch results batch_3fa85f6457174562b3fc2c963f66afa6 --output answers.jsonl'],
  },
} as const
