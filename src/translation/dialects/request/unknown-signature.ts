/** Google documents this value for calls whose signature is unknown, such as in a conversation that another model began. */
export const UNKNOWN_SIGNATURE = 'skip_thought_signature_validator'
