// Verifies a Gatehouse webhook in Go. Needs no module beyond the standard library.
//
//	go run main.go public-key.pem body.json <X-Service-Signature>
package main

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
)

// Verify checks the body as it arrived: io.ReadAll(request.Body), before any decoder.
// Writing the payload again does not work in Go: encoding/json escapes <, >, & and U+2028.
func Verify(rawBody []byte, signature string, publicKey *rsa.PublicKey) error {
	signed, err := hex.DecodeString(signature)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(rawBody)
	// What was signed is the digest in hexadecimal, as text; RSA hashes that text once more.
	message := sha256.Sum256([]byte(hex.EncodeToString(digest[:])))
	return rsa.VerifyPKCS1v15(publicKey, crypto.SHA256, message[:], signed)
}

// ParseKey reads the PEM text of the public key.
func ParseKey(text []byte) (*rsa.PublicKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("not a PEM file")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	publicKey, ok := key.(*rsa.PublicKey)
	if !ok {
		return nil, errors.New("not an RSA key")
	}
	return publicKey, nil
}

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("verified")
}

func run(keyFile, bodyFile, signature string) error {
	text, err := os.ReadFile(keyFile)
	if err != nil {
		return err
	}
	publicKey, err := ParseKey(text)
	if err != nil {
		return err
	}
	rawBody, err := os.ReadFile(bodyFile)
	if err != nil {
		return err
	}
	return Verify(rawBody, signature, publicKey)
}
