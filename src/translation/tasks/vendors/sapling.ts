// https://sapling.ai/docs/api. Its own clients send the key as a field of the body.

export const SAPLING_PROOF = { fields: { key: '{secret}' } }
