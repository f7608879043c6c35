// Verifies a Gatehouse webhook in Go. Needs no module beyond the standard library.
//
//	go run main.go public-key.pem body.json <X-Service-Signature>
//	go run main.go whpk_… body.json <webhook-id> <webhook-timestamp> <webhook-signature>
package main

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
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

// VerifyTimestamped checks the second signature, which covers the time: a webhook that an attacker recorded is refused after
// five minutes. publicKey is the whpk_… of GET /v3/webhooks/public-key/ed25519. Remember the id for as long, and refuse one
// that comes again after you have answered it with 2xx.
func VerifyTimestamped(rawBody []byte, id, timestamp, signatures, publicKey string, now time.Time) error {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return err
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > 5*time.Minute || age < -5*time.Minute {
		return errors.New("too old, or from the future")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(publicKey, "whpk_"))
	if err != nil || len(key) != ed25519.PublicKeySize {
		return errors.New("not a public key")
	}
	content := append([]byte(id+"."+timestamp+"."), rawBody...)
	for _, signature := range strings.Split(signatures, " ") {
		signed, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(signature, "v1a,"))
		if err == nil && strings.HasPrefix(signature, "v1a,") && ed25519.Verify(key, content, signed) {
			return nil
		}
	}
	return errors.New("no signature fits")
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
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("verified")
}

func run(args []string) error {
	rawBody, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	if len(args) == 5 {
		return VerifyTimestamped(rawBody, args[2], args[3], args[4], args[0], time.Now())
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	publicKey, err := ParseKey(text)
	if err != nil {
		return err
	}
	return Verify(rawBody, args[2], publicKey)
}
