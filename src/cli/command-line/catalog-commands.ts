import { SETTINGS } from './shared-flags.ts'

/** The model catalog, and catalogs of your own. */
export const CATALOG_COMMANDS = {
  'catalog check': {
    summary: 'check the model catalog: rows, prices, sources',
    flags: SETTINGS,
    examples: ['gatehouse catalog check'],
  },
  'catalog update': {
    summary: 'install a newer signed catalog',
    details: 'Running processes use it within seconds. Without an argument, the catalog comes from CATALOG_URL.',
    optional: 'FILE|URL',
    flags: SETTINGS,
    examples: ['gatehouse catalog update catalog.json'],
  },
  'catalog key': {
    summary: 'create a key that signs catalogs',
    operands: ['FILE'],
    flags: {},
    examples: ['gatehouse catalog key catalog-key.pem'],
  },
  'catalog sign': {
    summary: 'sign a catalog of your own: a folder of <provider>.json files',
    operands: ['FOLDER'],
    flags: {
      key: { type: 'string', value: 'FILE', about: 'the private key that signs' },
      out: { type: 'string', value: 'FILE', about: 'the file to write; standard output by default' },
      dated: { type: 'string', value: 'TIME', about: 'the date of the catalog; now by default' },
      ...SETTINGS,
    },
    examples: ['gatehouse catalog sign models --key catalog-key.pem --out catalog.json'],
  },
} as const
