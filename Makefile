# A thin front door; meson and pytest do the work. BUILD is where everything is built.
BUILD ?= build
# Debian's Python: pytest comes as a Debian package, and another python3 on PATH does not have it.
PYTHON ?= /usr/bin/python3
DEMO_ARGS ?= --reps 1 --lab-frames-divisor 4
# So many e2e tests at once: they mostly wait. 1: one after the other, as a debugger needs it.
E2E_JOBS ?= 4
E2E_ARGS ?=
E2E_JUNIT ?= e2e.junit.xml
BENCH_ARGS ?=

PACKAGES ?= build-package

.PHONY: all bench build demo device package test test-unit test-e2e test-package windows fmt fmt-check clean

all: build

$(BUILD)/build.ninja:
	scripts/install-packages build
	meson setup $(BUILD)

build: $(BUILD)/build.ninja
	ninja -C $(BUILD)

# The whole thing without hardware: a lab, the cross-host plan in it (fewer frames, one round), the table, the report.
demo:
	scripts/install-packages demo
	$(MAKE) build
	$(BUILD)/coordinator/mgcoord run crosshost --lab $(DEMO_ARGS)

test:
	scripts/install-packages test
	$(MAKE) test-unit
	$(MAKE) test-e2e

# cmocka is looked for when the build is configured: a build from before it was installed has no
# tests, and that must not look like success.
test-unit: build
	@test -d $(BUILD)/tests/unit || meson setup --reconfigure $(BUILD)
	ninja -C $(BUILD)
	meson test -C $(BUILD) --no-rebuild --print-errorlogs --suite unit --suite contract

test-e2e: build
	scripts/install-packages test
	MGC_BUILD=$(abspath $(BUILD)) $(PYTHON) -m pytest tests/e2e -q -rs \
		$(if $(filter-out 1,$(E2E_JOBS)),-n $(E2E_JOBS) --dist loadfile) \
		-o cache_dir=$(abspath $(BUILD))/pytest-cache \
		--junitxml=$(abspath $(BUILD))/$(E2E_JUNIT) $(E2E_ARGS)

# With the device program for phones, which needs a cross compiler.
device:
	scripts/install-packages build device
	@[ ! -f $(BUILD)/build.ninja ] || [ -f $(BUILD)/sampler/mgdevice-aarch64 ] || meson setup --reconfigure $(BUILD)
	$(MAKE) build

# A Debian package of what is committed, into $(PACKAGES).
package:
	scripts/install-packages build device package
	rm -f $(PACKAGES)/*.deb
	scripts/make-package $(PACKAGES)

# On a machine that systemd boots in namespaces; needs root.
test-package: package
	scripts/install-packages test-package
	MGC_PACKAGE=$(abspath $(PACKAGES)) $(PYTHON) -m pytest tests/package -q -rs \
		-o cache_dir=$(abspath $(PACKAGES))/pytest-cache \
		--junitxml=$(abspath $(PACKAGES))/package.junit.xml

# The host worker for Windows, cross-built, its suites under wine; see docs/windows.md.
windows:
	scripts/install-packages windows
	scripts/build-windows

# A build of its own, optimised: numbers of any other say nothing. The lab is part of it.
BENCH_BUILD ?= build-bench
bench:
	scripts/install-packages demo bench
	@test -f $(BENCH_BUILD)/build.ninja || meson setup $(BENCH_BUILD) --buildtype release
	ninja -C $(BENCH_BUILD)
	$(PYTHON) bench/run.py --build $(BENCH_BUILD) $(BENCH_ARGS)

C_FILES = $(shell git ls-files '*.c' '*.h')
fmt:
	scripts/install-packages fmt
	clang-format -i $(C_FILES)

fmt-check:
	clang-format --dry-run --Werror $(C_FILES)

clean:
	rm -rf $(BUILD) build-*
