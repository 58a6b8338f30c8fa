import type { Publication } from './published.ts';

/** The page of a release about how it is installed and verified, with all addresses. */
export function installationPage({ version, publisher, image }: Publication): string {
  const { source, charts } = publisher;
  const chart = `${charts}/weeder`;
  const reference = image === undefined ? `${publisher.image}:${version}` : `${publisher.image}@${image.digest}`;
  const files = `${source}/releases/download/v${version}`;
  const repository = source.replace('https://github.com/', '');
  // The certificate has the owner as GitHub spells it, and the name of an image is in lower case.
  const identity = `'(?i)^${source}/.github/workflows/release.yml@refs/tags/v${version}$'`;
  return `# weeder ${version}

One of these commands installs it. The image is \`${reference}\`, for linux/amd64 and linux/arm64.

\`\`\`console
$ kubectl apply --server-side -f ${files}/install-weeder.yaml
$ helm install weeder oci://${chart} --version ${version} --namespace weeder --create-namespace
\`\`\`

${source}/blob/v${version}/README.md describes the rest, and ${source}/blob/v${version}/CHANGELOG.md the changes.

Image and chart are signed by cosign without a key, and have SLSA provenance. The image has an SBOM for each platform.

\`\`\`console
$ cosign verify --certificate-oidc-issuer https://token.actions.githubusercontent.com --certificate-identity-regexp ${identity} ${reference}
$ cosign verify --certificate-oidc-issuer https://token.actions.githubusercontent.com --certificate-identity-regexp ${identity} ${chart}:${version}
$ gh attestation verify oci://${reference} --repo ${repository}
\`\`\`
`;
}
