package authority

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// User is someone who uses the cluster with a client certificate.
type User struct {
	// Name is what the API server will call the user.
	Name string
	// Groups are the groups the user is in.
	Groups []string
}

// ParseUser reads NAME or NAME:GROUP[,GROUP...].
func ParseUser(text string) (User, error) {
	name, groups, _ := strings.Cut(text, ":")
	if name == "" || name != filepath.Base(name) {
		return User{}, fmt.Errorf("%q is not a user: write NAME or NAME:GROUP[,GROUP...], without slashes", text)
	}
	user := User{Name: name}
	if groups != "" {
		user.Groups = strings.Split(groups, ",")
	}
	return user, nil
}

// Kubeconfig signs a client certificate for the user and returns a self-contained kubeconfig for the server.
func (a *Authority) Kubeconfig(server string, user User) ([]byte, error) {
	pair, err := a.Client(user.Name, user.Groups...)
	if err != nil {
		return nil, err
	}
	data := make(map[string][]byte)
	for _, path := range []string{pair.Cert, pair.Key, a.CA().Cert} {
		if data[path], err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["devcluster"] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: data[a.CA().Cert]}
	config.AuthInfos[user.Name] = &clientcmdapi.AuthInfo{
		ClientCertificateData: data[pair.Cert], ClientKeyData: data[pair.Key],
	}
	config.Contexts["devcluster"] = &clientcmdapi.Context{Cluster: "devcluster", AuthInfo: user.Name}
	config.CurrentContext = "devcluster"
	return clientcmd.Write(*config)
}
