"""The real-gateway lane: released Gateways, a model server of ours, and memconsole between."""
