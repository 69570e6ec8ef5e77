"""Former names, and switches between versions.

Compare: tensorflow/python/compat/v2_compat.py. Read next: ``aliases.py``.
"""

HAS_OPS = False
LOADED = ()
DOCS = {}
PUBLIC = {
    "tf": """
        template: make_template
        v2_behavior: control_flow_v2_enabled disable_control_flow_v2
        v2_behavior: disable_resource_variables disable_v2_behavior
        v2_behavior: enable_control_flow_v2 enable_resource_variables
        v2_behavior: resource_variables_enabled
        aliases: all_variables create_partitioned_variables initialize_all_variables
        aliases: initialize_local_variables op_scope
        aliases: variable_op_scope
        """,
}
