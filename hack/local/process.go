package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// stopGrace is how long a child may take to stop after SIGTERM before it is killed.
const stopGrace = 15 * time.Second

// Process is a child with a log file. It runs in a process group of its own, so that a Ctrl-C meant for the parent
// does not reach it: the parent decides the order in which things stop.
type Process struct {
	name string
	log  string
	cmd  *exec.Cmd
	done chan struct{}
	err  error
	once sync.Once
}

// start runs the command with its output in logFile.
func start(cmd *exec.Cmd, logFile string) (*Process, error) {
	out, err := os.Create(logFile)
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	p := &Process{name: filepath.Base(cmd.Path), log: logFile, cmd: cmd, done: make(chan struct{})}
	go func() {
		p.err = errors.Join(cmd.Wait(), out.Close())
		close(p.done)
	}()
	return p, nil
}

// Log is the file that holds what the process printed.
func (p *Process) Log() string { return p.log }

// PID is the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended, by itself or by Stop.
func (p *Process) Done() <-chan struct{} { return p.done }

// Stop asks the process to end, and ends it when it does not. It may be called twice.
func (p *Process) Stop() {
	p.once.Do(func() {
		group := -p.cmd.Process.Pid
		_ = syscall.Kill(group, syscall.SIGTERM)
		select {
		case <-p.done:
		case <-time.After(stopGrace):
			_ = syscall.Kill(group, syscall.SIGKILL)
			<-p.done
		}
	})
}

// Kill ends the process at once, as a crash would.
func (p *Process) Kill() {
	p.once.Do(func() {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.done
	})
}

// await calls ready until it says yes, the process ends, or the context does.
func (p *Process) await(ctx context.Context, ready func() bool) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ready() {
		select {
		case <-p.done:
			return fmt.Errorf("%s ended before it was ready: %w\n%s", p.name, p.err, tail(p.log))
		case <-ctx.Done():
			return fmt.Errorf("%s was not ready in time: %w\n%s", p.name, ctx.Err(), tail(p.log))
		case <-tick.C:
		}
	}
	return nil
}

// tail returns the last lines of a log file, for an error that should explain itself.
func tail(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	if len(lines) > 15 {
		lines = lines[len(lines)-15:]
	}
	return strings.Join(lines, "\n")
}
