const secretName =
  /^(?:\.env(?:\..*)?|.*\.env|\.ssh|\.gnupg|\.aws|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.htpasswd|\.git-credentials|.*id_(?:rsa|dsa|ecdsa|ed25519).*|(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|txt|csv|xml|properties))?|.*\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|tfstate|tfvars))$/iu;

/** By the parts of its path; its lines are never shown in Slack. */
export const usuallySecret = (parts: readonly string[]): boolean => parts.some((part) => secretName.test(part));

/** Whatever the file is called. */
export const holdsKey = (text: string): boolean => text.includes('PRIVATE KEY');
