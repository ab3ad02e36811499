"""Says where pip would install which wheel of a folder: Macs of both processors, with macOS 12, 13 and 15, and this machine."""
import glob
import os
import sys

from pip._vendor.packaging import tags, utils

machines = {"mac-%s-%d" % (processor, macos): set(tags.mac_platforms((macos, 0), processor)) for processor in ("arm64", "x86_64") for macos in (12, 13, 15)}
machines[os.uname().machine] = {tag.platform for tag in tags.sys_tags()}
wheels = [utils.parse_wheel_filename(os.path.basename(path)) for path in glob.glob(os.path.join(sys.argv[1], "*.whl"))]
for machine in sorted(machines, key=lambda name: (not name.startswith("mac"), name)):
    for name, version, _, tagged in wheels:
        if any(tag.platform in machines[machine] for tag in tagged):
            print(name, version, machine)
